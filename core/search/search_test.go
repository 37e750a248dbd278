package search_test

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dev.lithos/core/search"
)

func TestIndex(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", ""},
		{"Begin writes with IMMEDIATE.", "begin writes with immediate"},
		{"don't a-b a/b x_y 2026-12-15", "don t a b a b x y 2026 12 15"},
		{"Crème BRÛLÉE Straße STRASSE Łódź", "creme brulee strasse strasse lodz"},
		{"Cre\u0300me\u0301", "creme"},                // accents as characters of their own
		{"ΣΊΣΥΦΟΣ Σίσυφος", "σισυφοσ σισυφοσ"},        // two forms of one letter
		{"Ёлка ИЙ", "елка ии"},                        // Cyrillic accents
		{"İstanbul ılık", "istanbul ilik"},            // dots of Turkish
		{"ﬁne Ｆｕｌｌ ½ ㎏ ① ℡", "fine full 12 kg 1 tel"}, // compatibility forms
		{"מְלָכִים مُحَمَّد", "מלכים محمد"},           // points
		{"co\u00adoperate", "cooperate"},
		{"हिन्दी", "हिन्दी"}, // marks that are letters
		{"東京都庁", "東京 京都 都庁 庁"},
		{"京", "京"},
		{"東京 大阪", "東京 京 大阪 阪"},
		{"iPhone用ケース12個", "iphone 用ケ ケー ース ス 12 個"},
		{"か\u3099き", "がき き"}, // a sound mark as a character of its own
		{"ｶﾞﾗｽ ㌔", "ガラ ラス ス キロ ロ"},
		{"서울에서", "서울 울에 에서 서"},
		{"ภาษาไทย", "ภา าษ ษา าไ ไท ทย ย"},
		{"🙂 -- * — →", "🙂"},
		{"done✅ a🎉b 🎉🎉", "done ✅ a 🎉 b 🎉 🎉"},
		{"👍🏽 👍 ❤️ ❤", "👍 👍 ❤ ❤"},    // whatever the looks
		{"👩🏽‍💻 👨‍👩‍👧", "👩 💻 👨 👩 👧"}, // joined to one picture
		{"🇩🇪🇫🇷🇺", "🇩🇪 🇫🇷 🇺"},        // two letters are a flag
		{"🏴󠁧󠁢󠁥󠁮󠁧󠁿 🏴", "🏴 🏴"},        // of a part of a country
		{"1️⃣ 🄰 🈁", "1 a ココ コ"},     // stand for letters
		{strings.Repeat("x", 150), strings.Repeat("x", 64) + " " + strings.Repeat("x", 64) + " " + strings.Repeat("x", 22)},
	} {
		if got := search.Index(c.text); got != c.want {
			t.Errorf("Index(%q)\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

func TestParse(t *testing.T) {
	for _, c := range []struct {
		query string
		want  []string // words of each phrase, * for an open end
	}{
		{"", nil},
		{`" * ( NOT`, []string{"not"}},
		{"busy IMMEDIATE busy", []string{"busy", "immediate"}},
		{`sqlite "busy  handling" x`, []string{"sqlite", "busy handling", "x"}},
		{`"a" "a" a`, []string{"a"}},
		{`say "never closed`, []string{"say", "never", "closed"}},
		{`""`, nil},
		{`a"b"c`, []string{"a", "b", "c"}},
		{"don't", []string{"don", "t"}},
		{"京", []string{"京*"}},
		{"東京", []string{"東京"}},
		{"東京都", []string{"東京 京都"}},
		{"東京 京", []string{"東京", "京*"}},
		{`"東京 大阪"`, []string{"東京 京 大阪"}},
		{`"iPhone 用"`, []string{"iphone 用*"}},
		{"🎉 🚀🎉", []string{"🎉", "🚀"}},
		{"👩🏽‍💻", []string{"👩 💻"}},
		{`"🇩🇪 x"`, []string{"🇩🇪 x"}},
		{strings.Repeat("y", 70), []string{strings.Repeat("y", 64) + " yyyyyy"}},
	} {
		var got []string
		for _, p := range search.Parse(c.query).Phrases {
			text := strings.Join(p.Words, " ")
			if p.Open {
				text += "*"
			}
			got = append(got, text)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("Parse(%q)\n got %q\nwant %q", c.query, got, c.want)
		}
	}
}

func TestParseBounds(t *testing.T) {
	var many strings.Builder
	for i := range 3000 {
		many.WriteString(strings.Repeat("a", i%60+1) + strings.Repeat("b", i/60+1) + " ")
	}
	if n := len(search.Parse(many.String()).Phrases); n != 1000 {
		t.Errorf("%d phrases", n)
	}
	if p := search.Parse(strings.Repeat("字", 5000)).Phrases; len(p) != 1 || len(p[0].Words) != 200 {
		t.Errorf("%d phrases", len(p))
	}
}

func TestExcerpt(t *testing.T) {
	filler := strings.Repeat("lorem ipsum ", 40)
	for _, c := range []struct{ query, text, want string }{
		{"busy immediate", "Begin writes with IMMEDIATE.", "Begin writes with IMMEDIATE."},
		{"nothing", "Short.", "Short."},
		{"x", "", ""},
		{"needle", filler + "needle " + filler, "..." + filler[:144] + "needle " + filler[:143] + "..."},
		{"absent", filler, filler[:149] + "..."},
		{`"second one"`, "one second; the second one", "one second; the second one"},
	} {
		if got := search.NewFinder(search.Parse(c.query)).Excerpt(c.text); got != c.want {
			t.Errorf("Excerpt(%q of %.40q)\n got %q\nwant %q", c.query, c.text, got, c.want)
		}
	}
}

// TestExcerptCharacters cuts a text of characters that are made of several.
func TestExcerptCharacters(t *testing.T) {
	family := "👨‍👩‍👧‍👦"
	text := strings.Repeat(family, 60) + "needle" + strings.Repeat(family, 60)
	got := search.NewFinder(search.Parse("needle")).Excerpt(text)
	before, after, found := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(got, "..."), "..."), "needle")
	if !found || strings.ReplaceAll(before+after, family, "") != "" {
		t.Errorf("a character was divided: %q", got)
	}
	if len(before) < 10*len(family) || len(after) < 10*len(family) {
		t.Errorf("too short: %q", got)
	}
}

func TestFinder(t *testing.T) {
	for _, c := range []struct {
		query, text string
		want        []string
	}{
		{"busy sqlite", "SQLite is busy", []string{"sqlite", "busy"}},
		{`"is busy"`, "is it busy", nil},
		{"京都", "東京都庁", []string{"京都"}},
		{"東京庁", "東京都庁", nil},
		{"東京都庁", "東京 京都 都庁", nil}, // the same pairs, but apart
		{"庁", "東京都庁", []string{"庁"}},
		{"都", "東京都庁", []string{"都"}},
		{"ไทย", "ภาษาไทยง่าย", []string{"ไทย"}},
		{`"b 京"`, "a b 京都", []string{"b 京"}},
		{"👍", "so 👍🏿, so good", []string{"👍"}},
		{"👍🏿", "so 👍, so good", []string{"👍🏿"}},
		{"👩‍💻", "of 👩🏽‍💻", []string{"👩‍💻"}},
		{"👩‍💻", "of 👩 with a 💻", nil},
		{"💻", "of 👩🏽‍💻", []string{"💻"}},
		{"🇫🇷", "🇩🇪🇫🇷", []string{"🇫🇷"}},
		{"🇪🇫", "🇩🇪🇫🇷", nil},
		{"❤", "❤️‍🔥", []string{"❤"}},
	} {
		var got []string
		for _, p := range search.NewFinder(search.Parse(c.query)).Found(c.text) {
			got = append(got, strings.ToLower(p.Text))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%q in %q: got %q, want %q", c.query, c.text, got, c.want)
		}
	}
}

// FuzzSearch holds that any text is a query, that a text answers the query it
// is itself, that the words of the index are whole for its tokenizer, and that
// an excerpt is a part of the text.
func FuzzSearch(f *testing.F) {
	for _, seed := range []string{
		`a-b "don't" 2026-12-15 NOT * (`, "東京都庁 iPhone用ケース", "ภาษาไทย ພາສາລາວ ភាសាខ្មែរ", "か\u3099ｶﾞ㌔",
		"e\u0301\u0327 ß İ", "👨‍👩‍👧‍👦 \u202e x", "👩🏽‍💻🇩🇪🇫🇷a❤️‍", "\u0e31\u0e01\u0e14 \ufdfa ⑴", strings.Repeat("字", 80),
	} {
		f.Add(seed, seed)
	}
	f.Fuzz(func(t *testing.T, text, other string) {
		if !utf8.ValidString(text) || !utf8.ValidString(other) || len(text) > 3000 || len(other) > 3000 {
			return // no text, or so long that it only takes longer
		}
		index := search.Index(text)
		for _, word := range strings.Fields(index) {
			for i := range len(word) {
				if c := word[i]; c < utf8.RuneSelf && (c < '0' || c > '9') && (c < 'a' || c > 'z') {
					t.Fatalf("the word %q would be taken apart", word)
				}
			}
		}
		end := 0
		search.Each(text, func(w search.Word) bool {
			if w.Start > w.End || w.End > len(text) || w.Text == "" || w.Start < 0 || w.End < end && !w.Joined {
				t.Fatalf("word %+v of %q", w, text)
			}
			end = w.End
			return true
		})
		self := search.Parse(text)
		found := search.NewFinder(self).Found(text)
		if len(found) != len(self.Phrases) {
			t.Fatalf("%q holds %d of its %d phrases", text, len(found), len(self.Phrases))
		}
		finder := search.NewFinder(search.Parse(other))
		for _, p := range finder.Found(text) {
			if !strings.Contains(" "+index+" ", " "+strings.Join(p.Words, " ")) {
				t.Fatalf("%q was found where the index has only %q", p.Words, index)
			}
		}
		excerpt := finder.Excerpt(text)
		if !utf8.ValidString(excerpt) || !strings.Contains(text, strings.TrimSuffix(strings.TrimPrefix(excerpt, "..."), "...")) &&
			!strings.Contains(text, excerpt) {
			t.Fatalf("the excerpt %q is no part of %q", excerpt, text)
		}
	})
}
