package core

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var validSeeds = []string{
	`[]`, `{}`, `["a"]`, `{"a":"b","c":[1,2.5,-3e7,0.1E-2]}`, `{"a":{"b":[{}]}}`, ` [ 1 , true , false , null ] `, `"é\u00e9\n"`, `0`, `-0`, `01`, `-`, `1.`, `.5`, `1e`, `1e+`,
	`+1`, `[1,]`, `[,1]`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{1:1}`, `[1}`, `{"a":1]`, `"`, `"\`, `"\x"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\x7f\"", "\"\xff\"", `tru`, `nulll`, ``, ` `, `[] []`, `"a" `,
	`["12345678","1234567\"","1234567\\"]`, "[\"1234567\x01\"]", strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
	strings.Repeat(`{"a":`, 10_000) + "1" + strings.Repeat("}", 10_000), "\u2028", "\ufeff[]",
}

func agrees(t interface{ Fatalf(string, ...any) }, text string) {
	want := json.Valid([]byte(text))
	if got := ValidJSON(text); got != want {
		t.Fatalf("%.200q: %v, the parser says %v", text, got, want)
	}
	if got := ValidJSON([]byte(text)); got != want {
		t.Fatalf("%.200q as bytes: %v, the parser says %v", text, got, want)
	}
}

func TestValidJSON(t *testing.T) {
	for _, text := range validSeeds {
		agrees(t, text)
	}
	part := rapid.SampledFrom([]string{`[`, `]`, `{`, `}`, `"`, `,`, `:`, `"a"`, `"a":`, `1`, `0`, `-`, `.5`, `e3`, `true`, `nul`, `\`, `\u00e9`, ` `, "\t", "\x01", `é`, "abcdefgh", "\x7f", "\xc2"})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(part, 0, 10).Draw(t, "parts"), "")
		agrees(t, text)
		agrees(t, "["+text+"]")
		agrees(t, `{"a":`+text+"}")
		agrees(t, `"`+text+`"`)
	})
}

func FuzzValidJSON(f *testing.F) {
	for _, text := range validSeeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) { agrees(t, text) })
}

// TestPlainBytes holds the walk by words against one by bytes.
func TestPlainBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOfN(rapid.SampledFrom([]byte("aaaaaaaaaaaaaaaaz ~!#[]\"\\\x00\x1f\x7f\x80\xff\xa2\xdc\x21\x5b\x5d")), 0, 40).Draw(t, "text"))
		want := 0
		for want < len(s) && s[want] >= ' ' && s[want] < 0x7f && s[want] != '"' && s[want] != '\\' {
			want++
		}
		if got := plainBytes(s); got != want {
			t.Fatalf("%q: %d plain bytes, not %d", s, got, want)
		}
	})
}
