// Package kubernetes tests the manifests in deploy/kubernetes with the code of
// the API server itself: it decodes them strictly, fills in defaults, and
// creates each object as far as that goes without a store. Then the check of
// Pod Security Admission looks at every pod. Helm's own code lints and renders the
// chart, whose objects go the same way; testdata has what each option gives.
//
// It is a module of its own, so that Kubernetes' dependencies stay out of the
// collector's. No cluster and no download but the modules is needed.
package kubernetes
