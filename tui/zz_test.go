package tui
import ("testing";"fmt")
func TestZZ(t *testing.T) {
	for _, s := range [][2]int{{80,24},{140,40},{44,16}} {
		d := drive(t, acme, s[0], s[1])
		d.press("g","t")
		fmt.Println(d.frame())
		d.press("*")
		fmt.Println(d.frame())
		d.press("H")
		fmt.Println(d.frame())
	}
}
