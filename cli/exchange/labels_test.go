package exchange

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/renderer/html"
	"pgregory.net/rapid"

	"dev.lithos/core/display"
)

// asHTML renders Markdown the way a careless program does, HTML included.
func asHTML(t interface{ Fatal(...any) }, markdown string) string {
	var out bytes.Buffer
	if err := goldmark.New(goldmark.WithRendererOptions(html.WithUnsafe())).Convert([]byte(markdown), &out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// hostile draws text full of what means something somewhere.
var hostile = rapid.StringOfN(rapid.OneOf(
	rapid.RuneFrom([]rune("\\`*_[]<>&|~#$+-=.){}!\"':;%/ 019aN\x1b\n\t\u202e")), rapid.Rune(),
), 0, 30, -1)

// A title in Markdown reads as the title, in a heading and at the start of a
// list item.
func TestMarkdownEscape_meansItself(t *testing.T) {
	text := regexp.MustCompile(`(?s)^<(h2|ul)>\n?(?:<li>)?(.*?)(?:</li>\n)?</(h2|ul)>\n$`)
	unescape := strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&")
	rapid.Check(t, func(t *rapid.T) {
		title := strings.Join(strings.Fields(display.Visible(hostile.Draw(t, "title"))), " ")
		if title == "" {
			return
		}
		for _, before := range []string{"## · ", "- "} {
			found := text.FindStringSubmatch(asHTML(t, before+markdownEscape(title)+"\n"))
			if found == nil {
				t.Fatalf("%q is something else: %s", title, asHTML(t, before+markdownEscape(title)))
			}
			got := strings.TrimPrefix(unescape.Replace(found[2]), "· ")
			if strings.Contains(found[2], "<") || got != title {
				t.Errorf("%q reads as %q", title, got)
			}
		}
	})
}

// A quoted text brings no HTML of its own and ends where its quote ends.
func TestQuote_bringsNoHTML(t *testing.T) {
	tag := regexp.MustCompile(`</?[A-Za-z!?][^>]*>`)
	known := regexp.MustCompile(`^</?(blockquote|p|h[1-6]|ul|ol|li|em|strong|code|pre|br|hr|a|img)( (start|href|src|alt|title|class)="[^"]*")*( /)?>$`)
	draw := rapid.OneOf(hostile, rapid.SampledFrom([]string{
		"<script>alert(1)</script>", "<!-- open", "</blockquote><b>", "<b>`<i>`", "```\n<x>\n", "    <x>\n\n<x>", "<?php", "<![CDATA[", "<a href='x'>\n<b",
		"<div>\n\n*x*\n", "a <b\nc>", "<pre>\n\n<b>\n", "- <x>\n\n  <y>", "&lt;b&gt;",
	}))
	rapid.Check(t, func(t *rapid.T) {
		body := strings.Join(rapid.SliceOfN(draw, 1, 4).Draw(t, "parts"), rapid.SampledFrom([]string{"", "\n", "\n\n"}).Draw(t, "between"))
		shown := asHTML(t, quote(body)+"\nafter\n")
		if !strings.HasSuffix(shown, "<p>after</p>\n") {
			t.Fatalf("%q goes on after its end: %s", body, shown)
		}
		for _, found := range tag.FindAllString(shown, -1) {
			if !known.MatchString(found) {
				t.Fatalf("%q brings %s in %s", body, found, shown)
			}
		}
	})
}

// Where a tag is escaped, what follows it is read otherwise.
func TestQuote_readsWhatItEscaped(t *testing.T) {
	for body, want := range map[string]string{
		"<script>a</script>\n    <x>": "> &lt;script>a&lt;/script>\n>     &lt;x>\n",
		"`<b>` and\n\n    <code>":     "> `<b>` and\n>\n>     <code>\n",
	} {
		if got := quote(body); got != want {
			t.Errorf("%q became %q, want %q", body, got, want)
		}
	}
}

// What a description holds does not make writing it slow.
func TestQuote_time(t *testing.T) {
	for _, piece := range []string{"<", "<a ", "[", "*a_", "`", "> ", "<!--", "- ", "&", "\\", "![", "](", "<b>x"} {
		start := time.Now()
		quote(strings.Repeat(piece, 100_000))
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("%q took %s", piece, took)
		}
	}
}
