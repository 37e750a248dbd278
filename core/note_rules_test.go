package core

import (
	"strconv"
	"strings"
	"testing"
)

func TestNormalURL(t *testing.T) {
	for text, want := range map[string]string{
		"HTTPS://Example.org/busy/?utm_source=x": "https://example.org/busy", " http://a.com ": "http://a.com", "https://a.com/": "https://a.com/", "https://a.com//": "https://a.com/",
		"http://a.com:80/x": "http://a.com/x", "https://a.com:443": "https://a.com", "https://a.com:8443/": "https://a.com:8443/", "http://a.com:443/": "http://a.com:443/",
		"https://u:p@A.com/Path/To//?b=2&a=1&a=0&c#frag": "https://a.com/Path/To?a=0&a=1&b=2&c=", "https://a.com?utm_medium=1&fbclid=2&UTM_SOURCE=3": "https://a.com?UTM_SOURCE=3",
		"https://[::1]:443/x": "https://[::1]/x", "https://ü.example/ü": "https://ü.example/%C3%BC", "https://a.com/%7Ex?q=a%20b+c&e=": "https://a.com/%7Ex?e=&q=a+b+c", "https://a.com:/x": "https://a.com/x",
		"ftp://a.com": "", "a.com": "", "": "", "https://": "", "https:///x": "", "mailto:x@y": "", "http:opaque": "", "https://a b/": "", "https://a.com:port/": "", "javascript:alert(1)": "", "//a.com": "", "https://a.com/\x07": "",
	} {
		got, ok := normalURL(text)
		if got != want || ok != (want != "") {
			t.Errorf("%q is %q, %v, want %q", text, got, ok, want)
		}
		if again, _ := normalURL(got); ok && again != got {
			t.Errorf("%q is %q, and that %q", text, got, again)
		}
	}
}

func TestSlugOf(t *testing.T) {
	for title, want := range map[string]string{
		"SQLite busy handling": "sqlite-busy-handling", "  A__b--c\t\u00a0d  ": "a-b-c-d", "Crème Brûlée!": "crème-brûlée", "Cafe\u0301": "café", "ΟΔΟΣ": "οδος", "日本語 の": "日本語-の", "½ ² x": "x",
		"١٢ 3": "١٢-3", "---": "untitled", "": "untitled", "🙂": "untitled", "../../etc/passwd": "etcpasswd", "a/b\\c:d*e": "abcde", "CON": "con", "हिन्दी": "हिन्दी", "İstanbul": "i\u0307stanbul", "C#": "c", ".hidden": "hidden", "a.md": "amd",
	} {
		if want == "οδος" {
			want = "οδο\u03c2" // the last letter of a word has a form of its own
		}
		if got := slugOf(title); got != want {
			t.Errorf("%q becomes %q, want %q", title, got, want)
		}
	}
	if got := slugOf(strings.Repeat("a", 180)); len(got) != 180 || strings.Contains(got, "-") {
		t.Errorf("180 bytes become %q", got)
	}
	one, other := slugOf(strings.Repeat("é", 91)), slugOf(strings.Repeat("é", 92))
	if len(one) != 170+9 || len(other) != 170+9 || one == other {
		t.Errorf("longer ones become %q and %q", one, other)
	}
}

func TestNoteOfFile(t *testing.T) {
	note := func(fields ...string) (Note, error) {
		var file NoteFile
		for i := 0; i < len(fields); i += 2 {
			file.Fields = append(file.Fields, NoteField{Key: fields[i], Value: []byte(fields[i+1])})
		}
		return noteOfFile(file, unwritten{id: "drawn", createdAt: 1, updated: 2})
	}
	n, err := note()
	if err != nil || n.ID != "drawn" || n.OwnID || n.Title != "Untitled" || n.Author != "unknown" || n.CreatedAt != 1 || n.UpdatedAt != 2 || n.Version != 1 ||
		n.Confidence != 1 || n.SchemaVersion != 1 || n.AccessScope != "shared" || n.NoteType != "observation" || n.Status != "active" || n.Namespace != "" {
		t.Errorf("nothing reads as %+v, %v", n, err)
	}
	for _, c := range []struct{ version, want string }{{"7", "7"}, {"7.0", "7"}, {"9007199254740993", "1"}, {"9223372036854775807", "1"}, {"0", "1"}, {"-1", "1"}, {`"7"`, "1"}, {"null", "1"}, {"true", "1"}, {"[]", "1"}} {
		if n, err := note("version", c.version); err != nil || c.want != strconv.FormatInt(n.Version, 10) {
			t.Errorf("version %s is %d, %v", c.version, n.Version, err)
		}
	}
	for value, want := range map[string]float64{"0.5": 0.5, "2": 1, "-1": 0, "1e999": 1, "-1e999": 0, `"0.5"`: 1, "true": 1, "null": 1, "{}": 1} {
		if n, err := note("confidence", value); err != nil || n.Confidence != want {
			t.Errorf("confidence %s is %v, %v", value, n.Confidence, err)
		}
	}
	n, err = note("id", `"x"`, "derived_from_ids", `["b","x",7,null,{}," DDDDDDDD-0000-4000-8000-000000000001 ","b",""]`)
	if err != nil || strings.Join(n.DerivedFrom, " ") != "7 b dddddddd-0000-4000-8000-000000000001" {
		t.Errorf("the sources are %q, %v", n.DerivedFrom, err)
	}
	for _, key := range []string{"created_at", "updated_at", "expires_at"} {
		for _, value := range []string{`"never"`, `true`, `[]`, `{}`, `""`, `"2026-13-01"`} {
			if _, err := note(key, value); err == nil || !strings.Contains(err.Error(), key) {
				t.Errorf("%s %s: %v", key, value, err)
			}
		}
		for _, value := range []string{`"2026-01-01"`, `20260101`, `" 2026-01-01T10:00:00Z "`, `"2026-01-01 10:00:00 +02:00"`, `null`} {
			if _, err := note(key, value); err != nil {
				t.Errorf("%s %s: %v", key, value, err)
			}
		}
	}
	n, err = note("status", `"gone"`, "access_scope", `7`, "note_type", `["x"]`, "schema_version", `"two"`, "summaries", `{"x":1}`, "title", `2026`, "mine", `{"a":1}`)
	if err != nil || n.Status != "active" || n.AccessScope != "shared" || n.NoteType != "observation" || n.SchemaVersion != 1 || n.Summaries != "" || n.Title != "2026" || n.metadata() != `{"mine":{"a":1}}` {
		t.Errorf("odd values read as %+v, %v", n, err)
	}
}

func TestReal(t *testing.T) {
	for value, want := range map[Real]string{0: "0.0", 1: "1.0", 0.5: "0.5", 0.0164: "0.0164", -2: "-2.0", 1e-7: "1e-07", 1e17: "1e+17", 123456789: "123456789.0"} {
		if got := string(value.Append(nil)); got != want {
			t.Errorf("%v is written %s, want %s", float64(value), got, want)
		}
	}
}

// FuzzWikiLinks holds that links are found in any text, and lead somewhere.
func FuzzWikiLinks(f *testing.F) {
	for _, text := range []string{"[[a]] [[b|c]] [[[d]]] [[e\n]] [[", "[[ä#x|y]]]]", "![[x]]", "[[|x]] [[ ]]"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, link := range wikiLinks(text) {
			if link.Target == "" || link.Display == "" || !strings.Contains(text, link.Target) || strings.ContainsAny(link.Target, "[]|\n") {
				t.Errorf("%q has the link %q", text, link)
			}
		}
		n := Note{Body: strings.TrimSpace(text)}
		if title, content := SplitNoteText(text, "T"); title == "" && content == "" && n.Body != "" {
			t.Errorf("nothing is left of %q", text)
		}
	})
}
