package stitch

import (
	"errors"

	"go.uber.org/zap"

	shared "github.com/otelcol-mcp/otelcol-mcp/internal/component"
)

var (
	errRefused = errors.New("stitch: the next consumer refuses spans that waited; retrying")
	errOffline = errors.New("stitch::index: the shared index does not answer; traces leave unstitched")
)

// status reports to the host what fails, and when it works again. Only the timer
// uses it.
type status struct {
	logger           *zap.Logger
	health           *shared.Status
	refused, offline bool

	reportRefused, reportOffline func(error)
}

func newStatus(logger *zap.Logger) status {
	h := &shared.Status{}
	return status{logger: logger, health: h, reportRefused: h.Part(), reportOffline: h.Part()}
}

// setRefused records whether the next consumer refused spans that waited.
func (s *status) setRefused(is bool) {
	s.refused = is
	s.reportRefused(errorIf(is, errRefused))
}

// setIndex records why the shared index failed, nil if it answers.
func (s *status) setIndex(err error) {
	if s.offline == (err != nil) {
		return
	}
	s.offline = err != nil
	if s.offline {
		s.logger.Warn("Shared index unavailable; traces leave unstitched until it answers", zap.Error(err))
	} else {
		s.logger.Info("Shared index available again")
	}
	s.reportOffline(errorIf(s.offline, errOffline))
}

func errorIf(is bool, err error) error {
	if is {
		return err
	}
	return nil
}
