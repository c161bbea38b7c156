// Package redact leaves out of URLs what may be secret, for logs and errors. It
// needs the standard library only.
package redact

import "net/url"

// unknown stands for a URL that cannot be read: where a secret in it ends is unknown.
const unknown = "(URL left out)"

// URL is the text of a URL without user, query and fragment, any of which may have a
// password or a token.
func URL(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" {
		return unknown
	}
	u.User, u.RawQuery, u.ForceQuery, u.Fragment, u.RawFragment = nil, "", false, "", ""
	return u.String()
}

// Error is an error of an [net/http.Client], or of parsing a URL, whose text has no
// more of the URL than [URL] leaves. Other errors are as they were. The standard
// library leaves out the password only.
func Error(err error) error {
	failed, ok := err.(*url.Error) //nolint:errorlint // one that is wrapped has its text in that of others
	if !ok {
		return err
	}
	return &url.Error{Op: failed.Op, URL: URL(failed.URL), Err: failed.Err}
}
