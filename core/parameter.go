package core

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// ParameterType is the JSON type of a parameter.
type ParameterType string

// The JSON types a parameter can have.
const (
	TypeString     ParameterType = "string"
	TypeInteger    ParameterType = "integer"
	TypeNumber     ParameterType = "number"
	TypeBoolean    ParameterType = "boolean"
	TypeStringList ParameterType = "list of strings"
	TypeObject     ParameterType = "object"
	TypeObjectList ParameterType = "list of objects"
	TypeStructure  ParameterType = "object or list"
)

// Parameter describes one argument of an operation, read from the field of
// its request struct:
//
//   - json:"name" gives the name; fields stand in signature order.
//   - A pointer, slice or Metadata field is optional (nil: not given) unless
//     it is tagged required:"true"; a plain string or int is required.
//   - default:"50" is filled in where a pointer is nil.
//   - check:"…" names the rule of [checks] its value obeys.
//   - doc:"…" is the text a schema carries.
type Parameter struct {
	Name     string
	Type     ParameterType
	Required bool
	Default  string // as text; empty when the default is null
	Check    string
	Doc      string
	Allowed  []string // the closed vocabulary, if there is one
	index    int
}

// parametersOf reads the parameters of a request struct, once per type.
func parametersOf(t reflect.Type) []Parameter {
	if known, ok := parameterCache.Load(t); ok {
		return known.([]Parameter)
	}
	var list []Parameter
	for i := range t.NumField() {
		field := t.Field(i)
		name := field.Tag.Get("json")
		if name == "" || name == "-" {
			continue
		}
		p := Parameter{
			Name: name, Default: field.Tag.Get("default"), Check: field.Tag.Get("check"),
			Doc: field.Tag.Get("doc"), index: i,
		}
		p.Type, p.Required = parameterType(field.Type)
		if field.Tag.Get("required") == "true" {
			p.Required = true
		}
		p.Allowed = checkVocabulary(p.Check)
		list = append(list, p)
	}
	known, _ := parameterCache.LoadOrStore(t, list)
	return known.([]Parameter)
}

var parameterCache sync.Map // reflect.Type → []Parameter

func parameterType(t reflect.Type) (kind ParameterType, required bool) {
	switch t {
	case reflect.TypeFor[string]():
		return TypeString, true
	case reflect.TypeFor[*string]():
		return TypeString, false
	case reflect.TypeFor[*int]():
		return TypeInteger, false
	case reflect.TypeFor[float64]():
		return TypeNumber, true
	case reflect.TypeFor[*float64]():
		return TypeNumber, false
	case reflect.TypeFor[*bool]():
		return TypeBoolean, false
	case reflect.TypeFor[[]string]():
		return TypeStringList, false
	case reflect.TypeFor[*Metadata]():
		return TypeObject, false
	case reflect.TypeFor[[]json.RawMessage]():
		return TypeObjectList, false
	case reflect.TypeFor[*Structure]():
		return TypeStructure, false
	}
	panic("core: a request field has the unsupported type " + t.String())
}

// decodeArguments fills the request struct that into points to from the JSON
// text of the arguments object. It judges the shape and nothing else: text
// that can be read, declared names, required names, JSON types, in this order.
// The misfits it reports are marked by [IsMisfit].
func decodeArguments(src []byte, into any) error {
	if err := checkJSONText("", src); err != nil {
		return misfit(err)
	}
	members, err := argumentMembers(src)
	if err != nil {
		return misfit(err)
	}
	return decodeMembers(members, into, nil)
}

// argumentMembers splits an arguments object; no arguments at all are {}.
func argumentMembers(src []byte) ([]Member, error) {
	src = bytes.Trim(src, " \t\r\n")
	if len(src) == 0 || string(src) == "null" {
		return nil, nil
	}
	if !ValidJSON(src) {
		return nil, Malformed("", "The input is not valid JSON.")
	}
	if src[0] != '{' {
		return nil, invalid(ReasonInvalidValue, "", "The arguments must be a JSON object.")
	}
	return objectMembers(src)
}

// decodeMembers decodes arguments already split. without names parameters
// that are not accepted here.
func decodeMembers(members []Member, into any, without []string) error {
	target := reflect.ValueOf(into).Elem()
	declared := parametersOf(target.Type())
	given := make(map[string]json.RawMessage, len(members))
	for _, member := range members {
		given[member.Key] = member.Value
	}
	names := make([]string, 0, len(declared))
	for _, p := range declared {
		if !contains(without, p.Name) {
			names = append(names, p.Name)
		}
	}
	for _, member := range members {
		if !contains(names, member.Key) {
			return misfit(UnknownField(member.Key, "argument", names))
		}
	}
	for _, p := range declared {
		if raw, ok := given[p.Name]; p.Required && (!ok || string(raw) == "null") {
			return misfit(MissingField(p.Name))
		}
	}
	for _, p := range declared {
		raw, ok := given[p.Name]
		if !ok || string(raw) == "null" {
			continue
		}
		if err := p.decode(raw, target.Field(p.index)); err != nil {
			return misfit(err)
		}
	}
	return nil
}

func contains(names []string, name string) bool {
	for _, n := range names {
		if n == name {
			return true
		}
	}
	return false
}

// decode reads one value into its field.
func (p Parameter) decode(raw json.RawMessage, field reflect.Value) error {
	switch p.Type {
	case TypeString:
		s, ok := jsonString(raw)
		if !ok {
			return wrongType(p.Name, p.Type, raw)
		}
		setValue(field, s)
	case TypeInteger:
		n, ok := jsonInteger(raw)
		if !ok {
			return wrongType(p.Name, p.Type, raw)
		}
		setValue(field, n)
	case TypeNumber:
		if !isJSONNumber(raw) {
			return wrongType(p.Name, p.Type, raw)
		}
		f, err := strconv.ParseFloat(string(raw), 64)
		if err != nil {
			return InvalidValue(p.Name, string(raw), fmt.Sprintf("'%s' is out of range.", p.Name))
		}
		setValue(field, f)
	case TypeBoolean:
		if s := string(raw); s != "true" && s != "false" {
			return wrongType(p.Name, p.Type, raw)
		}
		setValue(field, string(raw) == "true")
	case TypeStringList:
		list, err := p.decodeStrings(raw)
		if err != nil {
			return err
		}
		field.Set(reflect.ValueOf(list))
	case TypeObject:
		if raw[0] != '{' {
			return wrongType(p.Name, p.Type, raw)
		}
		m, err := ParseMetadata(raw)
		if err != nil {
			return Malformed(p.Name, fmt.Sprintf("'%s' cannot be read: it is nested too deeply.", p.Name))
		}
		field.Set(reflect.ValueOf(&m))
	case TypeStructure:
		if raw[0] != '{' && raw[0] != '[' {
			return wrongType(p.Name, p.Type, raw)
		}
		structure, err := ParseStructure(raw)
		if err != nil {
			return Malformed(p.Name, fmt.Sprintf("'%s' cannot be read: it is nested too deeply.", p.Name))
		}
		field.Set(reflect.ValueOf(&structure))
	case TypeObjectList:
		list, err := p.decodeObjects(raw)
		if err != nil {
			return err
		}
		field.Set(reflect.ValueOf(list))
	}
	return nil
}

// setValue stores v in a field of v's type or of a pointer to it.
func setValue[T any](field reflect.Value, v T) {
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.ValueOf(&v))
		return
	}
	field.Set(reflect.ValueOf(v))
}

func (p Parameter) decodeStrings(raw json.RawMessage) ([]string, error) {
	items, err := jsonList(raw)
	if err != nil {
		return nil, wrongType(p.Name, p.Type, raw)
	}
	list := make([]string, len(items))
	for i, item := range items {
		s, ok := jsonString(item)
		if !ok {
			return nil, wrongType(fmt.Sprintf("%s[%d]", p.Name, i), TypeString, item)
		}
		list[i] = s
	}
	return list, nil
}

func (p Parameter) decodeObjects(raw json.RawMessage) ([]json.RawMessage, error) {
	items, err := jsonList(raw)
	if err != nil {
		return nil, wrongType(p.Name, p.Type, raw)
	}
	return items, nil
}

// wrongType makes the error for a value that is not of the JSON type wanted.
func wrongType(field string, wanted ParameterType, raw json.RawMessage) *Error {
	article := "a"
	if strings.ContainsRune("aeiou", rune(wanted[0])) {
		article = "an"
	}
	e := invalid(ReasonInvalidValue, field,
		fmt.Sprintf("'%s' must be %s %s, not %s.", field, article, wanted, jsonKind(raw)))
	switch raw[0] {
	case '{', '[':
		return e // too long to be of use
	}
	var value any
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.UseNumber()
	if dec.Decode(&value) == nil {
		return e.with("value", echo(value))
	}
	return e
}

func jsonKind(raw json.RawMessage) string {
	switch raw[0] {
	case '{':
		return "an object"
	case '[':
		return "a list"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func jsonString(raw json.RawMessage) (string, bool) {
	if raw[0] != '"' {
		return "", false
	}
	var s string
	return s, json.Unmarshal(raw, &s) == nil
}

func jsonList(raw json.RawMessage) ([]json.RawMessage, error) {
	list := []json.RawMessage{}
	if raw[0] != '[' {
		return nil, errNoObject
	}
	return list, json.Unmarshal(raw, &list)
}

func isJSONNumber(raw json.RawMessage) bool {
	return raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// jsonInteger reads a number without fractional part, however it is written.
// Beyond the range of int it saturates, since no rule tells such numbers apart.
func jsonInteger(raw json.RawMessage) (int, bool) {
	if !isJSONNumber(raw) {
		return 0, false
	}
	if n, err := strconv.ParseInt(string(raw), 10, 64); err == nil {
		return int(n), true
	}
	outermost := math.MaxInt
	if raw[0] == '-' {
		outermost = math.MinInt
	}
	if _, err := strconv.ParseFloat(string(raw), 64); err != nil {
		return outermost, true // beyond what the exact form below should spell out
	}
	exact, ok := new(big.Rat).SetString(string(raw))
	switch {
	case !ok || !exact.IsInt():
		return 0, false
	case !exact.Num().IsInt64():
		return outermost, true
	}
	return int(exact.Num().Int64()), true
}

// misfit marks an error as one of shape.
func misfit(err error) error { return &shapeError{err} }

type shapeError struct{ error }

func (e *shapeError) Unwrap() error { return e.error }

// prepare fills the defaults of a request and judges its values, in the order
// of the contract: limit first, then the others in signature order.
func prepare(request any) error {
	target := reflect.ValueOf(request).Elem()
	declared := parametersOf(target.Type())
	for _, p := range declared {
		if err := p.checkReadable(target.Field(p.index)); err != nil {
			return err
		}
	}
	for _, p := range declared {
		p.fillDefault(target.Field(p.index))
	}
	for _, first := range []bool{true, false} {
		for _, p := range declared {
			if (p.Name == "limit") != first {
				continue
			}
			if err := p.checkValue(target.Field(p.index)); err != nil {
				return err
			}
		}
	}
	if rule, ok := request.(interface{ check() error }); ok {
		return rule.check()
	}
	return nil
}

func (p Parameter) checkReadable(field reflect.Value) error {
	switch v := field.Interface().(type) {
	case string:
		return checkText(p.Name, v)
	case *string:
		if v != nil {
			return checkText(p.Name, *v)
		}
	case []string:
		for i, s := range v {
			if err := checkText(fmt.Sprintf("%s[%d]", p.Name, i), s); err != nil {
				return err
			}
		}
	case *Metadata:
		if v != nil {
			return checkJSONText(p.Name, []byte(*v))
		}
	case *Structure:
		if v != nil {
			return checkJSONText(p.Name, []byte(*v))
		}
	}
	return nil
}

func (p Parameter) fillDefault(field reflect.Value) {
	if p.Default == "" || field.Kind() != reflect.Pointer || !field.IsNil() {
		return
	}
	switch p.Type {
	case TypeString:
		field.Set(reflect.ValueOf(&p.Default))
	case TypeInteger:
		n, err := strconv.Atoi(p.Default)
		if err != nil {
			panic("core: the default of " + p.Name + " is no integer")
		}
		field.Set(reflect.ValueOf(&n))
	case TypeBoolean:
		b := p.Default == "true"
		field.Set(reflect.ValueOf(&b))
	case TypeNumber:
		f, err := strconv.ParseFloat(p.Default, 64)
		if err != nil {
			panic("core: the default of " + p.Name + " is no number")
		}
		field.Set(reflect.ValueOf(&f))
	}
}

func (p Parameter) checkValue(field reflect.Value) error {
	if (field.Kind() == reflect.Pointer || field.Kind() == reflect.Slice) && field.IsNil() {
		if p.Required {
			return MissingField(p.Name)
		}
		return nil
	}
	if p.Check == "" {
		return nil
	}
	check, ok := checks[p.Check]
	if !ok {
		panic("core: there is no check " + p.Check)
	}
	if field.Kind() == reflect.Pointer {
		field = field.Elem()
	}
	return check.judge(p.Name, field.Interface())
}
