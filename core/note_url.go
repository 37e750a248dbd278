package core

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// trackingParameters of a query say where a reader came from, not what is
// read.
var trackingParameters = []string{"utm_source", "utm_medium", "utm_campaign", "utm_term", "utm_content", "fbclid"}

var defaultPorts = map[string]string{"http": "80", "https": "443"}

// normalURL is the form in which URLs are stored and compared; false when the
// text is no http or https URL.
func normalURL(text string) (string, bool) {
	text = strings.TrimSpace(text)
	u, err := url.Parse(text)
	if err != nil || u.Opaque != "" || u.Hostname() == "" {
		return "", false
	}
	scheme := strings.ToLower(u.Scheme)
	ordinary, known := defaultPorts[scheme]
	if !known {
		return "", false
	}
	host := strings.ToLower(u.Host)
	if port := u.Port(); port == ordinary || strings.HasSuffix(host, ":") {
		host = strings.TrimSuffix(strings.TrimSuffix(host, ordinary), ":")
	}
	path := u.EscapedPath()
	if path != "/" {
		if trimmed := strings.TrimRight(path, "/"); trimmed == "" && path != "" {
			path = "/"
		} else {
			path = trimmed
		}
	}
	normal := scheme + "://" + host + path
	if query := normalQuery(u.RawQuery); query != "" {
		normal += "?" + query
	}
	return normal, true
}

// normalQuery sorts the parameters of a query and drops those that only track.
func normalQuery(raw string) string {
	type parameter struct{ name, value string }
	var kept []parameter
	for _, part := range strings.Split(raw, "&") {
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		p := parameter{unescapeQuery(name), unescapeQuery(value)}
		if !contains(trackingParameters, p.name) {
			kept = append(kept, p)
		}
	}
	slices.SortStableFunc(kept, func(a, b parameter) int {
		if c := strings.Compare(a.name, b.name); c != 0 {
			return c
		}
		return strings.Compare(a.value, b.value)
	})
	var b strings.Builder
	for i, p := range kept {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(p.name) + "=" + url.QueryEscape(p.value))
	}
	return b.String()
}

// unescapeQuery decodes a part of a query, as far as it is encoded rightly.
func unescapeQuery(s string) string {
	if decoded, err := url.QueryUnescape(s); err == nil {
		return decoded
	}
	return s
}

// checkURL normalises the URL of a write; empty means none.
func checkURL(field, text string) (*string, error) {
	if isBlank(text) {
		return nil, nil
	}
	normal, ok := normalURL(text)
	if !ok {
		return nil, InvalidValue(field, text, fmt.Sprintf("'%s' is no http or https URL.", clip(text)))
	}
	return &normal, nil
}
