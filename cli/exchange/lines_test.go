package exchange

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// linesOf reads all lines, each with its number.
func linesOf(t *testing.T, l *lineReader) (lines []string, numbers []int) {
	t.Helper()
	for {
		line, tooLong, err := l.next()
		if errors.Is(err, io.EOF) {
			return lines, numbers
		}
		if err != nil {
			t.Fatal(err)
		}
		if tooLong {
			line = []byte("<too long>")
		}
		lines = append(lines, string(line))
		numbers = append(numbers, l.number)
	}
}

func TestLineReader(t *testing.T) {
	long := strings.Repeat("x", 3*readBuffer)
	for name, c := range map[string]struct {
		text    string
		lines   []string
		numbers []int
	}{
		"empty":                {"", nil, nil},
		"no final line end":    {"a\nb", []string{"a", "b"}, []int{1, 2}},
		"CRLF":                 {"a\r\nb\r\n", []string{"a", "b"}, []int{1, 2}},
		"empty lines count":    {"\n\na\n \t\r\nb\n\n", []string{"a", "b"}, []int{3, 5}},
		"byte order mark":      {"\ufeffa\n\ufeffb\n", []string{"a", "\ufeffb"}, []int{1, 2}},
		"only byte order mark": {"\ufeff", nil, nil},
		"long":                 {"a\n" + long + "\nb\n" + long, []string{"a", long, "b", long}, []int{1, 2, 3, 4}},
		"just the buffer":      {long[:readBuffer-1] + "\n" + long[:readBuffer] + "\nb", []string{long[:readBuffer-1], long[:readBuffer], "b"}, []int{1, 2, 3}},
	} {
		t.Run(name, func(t *testing.T) {
			for reader, r := range map[string]io.Reader{"whole": strings.NewReader(c.text), "half": iotest.HalfReader(strings.NewReader(c.text))} {
				lines, numbers := linesOf(t, newLineReader(r))
				if !slices.Equal(lines, c.lines) || !slices.Equal(numbers, c.numbers) {
					t.Errorf("%s: got %.80q %v, want %.80q %v", reader, lines, numbers, c.lines, c.numbers)
				}
			}
		})
	}
}

func TestLineReader_fault(t *testing.T) {
	cause := errors.New("gone")
	l := newLineReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(cause)))
	if line, _, err := l.next(); string(line) != "a" || err != nil {
		t.Fatalf("first line %q, %v", line, err)
	}
	_, _, err := l.next()
	var fault *readFault
	if !errors.As(err, &fault) || !errors.Is(err, cause) {
		t.Errorf("got %v", err)
	}
}

func TestLineReader_tooLong(t *testing.T) {
	l := newLineReader(strings.NewReader(strings.Repeat("x", 3*readBuffer) + "\n" + strings.Repeat("y", 2*readBuffer) + "\nb\n"))
	l.limit = 2*readBuffer + 1
	lines, numbers := linesOf(t, l)
	if want := []string{"<too long>", strings.Repeat("y", 2*readBuffer), "b"}; !slices.Equal(lines, want) || !slices.Equal(numbers, []int{1, 2, 3}) {
		t.Errorf("got %.40q %v", lines, numbers)
	}
}
