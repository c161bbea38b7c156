package httpclient

import "net/url"

// unknown stands for a URL that cannot be read: where a secret in it ends is unknown.
const unknown = "(URL left out)"

// RedactURL returns the text of a URL without user, query and fragment, any of which may have a
// password or a token.
func RedactURL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return unknown
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// RedactError returns an error of an [net/http.Client], or of parsing a URL, with no
// more of the URL in its text than [RedactURL] leaves. It returns other errors unchanged. The standard
// library leaves out the password only.
func RedactError(err error) error {
	failed, ok := err.(*url.Error) //nolint:errorlint // one that is wrapped has its text in that of others
	if !ok {
		return err
	}
	return &url.Error{Op: failed.Op, URL: RedactURL(failed.URL), Err: failed.Err}
}
