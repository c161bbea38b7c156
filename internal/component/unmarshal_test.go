package component

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/collector/confmap"
)

type inner struct {
	TTL  int `mapstructure:"ttl"`
	Size int `mapstructure:"size"`
}

type squashed struct {
	TLS inner `mapstructure:"tls"`
}

type outer struct {
	squashed `mapstructure:",squash"`
	List     []inner `mapstructure:"list"`
	Payloads bool    `mapstructure:"payloads"`
}

func (o *outer) Unmarshal(conf *confmap.Conf) error { return Unmarshal(conf, o) }

func TestUnmarshalNamesTheNearestKey(t *testing.T) {
	for _, test := range []struct {
		given map[string]any
		want  string
	}{
		{map[string]any{"payload": true}, "do you mean payloads?"},
		{map[string]any{"pay": true}, "do you mean payloads?"},
		{map[string]any{"tsl": map[string]any{}}, "do you mean tls?"},
		{map[string]any{"tls": map[string]any{"tlt": 1, "sizes": 1}}, "do you mean tls::size, tls::ttl?"},
		{map[string]any{"list": []any{map[string]any{"sise": 1}}}, "do you mean "},
		{map[string]any{"sizes": 1}, "do you mean tls::size?"}, // at the wrong place
		{map[string]any{"banana": true}, ""},
	} {
		err := confmap.NewFromStringMap(test.given).Unmarshal(&outer{})
		require.Error(t, err)
		if test.want == "" {
			assert.NotContains(t, err.Error(), "do you mean")
		} else {
			assert.Contains(t, err.Error(), test.want)
		}
	}
	var o outer
	require.NoError(t, confmap.NewFromStringMap(map[string]any{"tls": map[string]any{"ttl": 3}}).Unmarshal(&o))
	assert.Equal(t, 3, o.TLS.TTL)
}
