package errors_test

import (
	"strings"
	"testing"

	"blue/errors"
)

// Two parameters of one name, however they are spelled.
func TestRepeated(t *testing.T) {
	for query, name := range map[string]string{
		"project=a&project=b": "project", "project=a&x=1&project=a": "project", "project&project": "project", "project=&project=": "project", "project=a&%70roject=b": "project",
		"project=a;project=b": "project", "project=a&project=%zz": "project", "a+b=1&a%20b=2": "a b", "%zz=1&%zz=2": "%zz", "=1&=2": "", "x%22y=1&x%22y=2": `x\"y`,
		"project=a&project=b#x": "project", "q=a;b;b": "b", "a=1&b=2&c=3&b=4": "b",
	} {
		if err := errors.Repeated(query); err == nil || !strings.Contains(err.Error(), `parameter "`+name+`" comes`) {
			t.Errorf("%s: %v", query, err)
		}
	}
	for _, query := range []string{"", "&", "&&", "project=a", "project=a&Project=b", "project=a&project_path=b", "project=project=project", "q=a%26q=b", "q=a%3Bq=b", "project=a&&x=1", "a&b&c"} {
		if err := errors.Repeated(query); err != nil {
			t.Errorf("%s: %v", query, err)
		}
	}
}
