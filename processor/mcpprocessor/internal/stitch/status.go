package stitch

import (
	"errors"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/component/componentstatus"
	"go.uber.org/zap"
)

var (
	errRefused = errors.New("stitch: the next consumer refuses spans that waited; retrying")
	errOffline = errors.New("stitch::index: the shared index does not answer; traces leave unstitched")
)

// status reports to the host what fails, and when it works again. Only the timer
// uses it.
type status struct {
	logger           *zap.Logger
	host             component.Host
	refused, offline bool
}

// setRefused records whether the next consumer refused spans that waited.
func (s *status) setRefused(is bool) {
	if is != s.refused {
		s.refused = is
		s.report()
	}
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
	s.report()
}

func (s *status) report() {
	if s.host == nil {
		return
	}
	var bad []error
	if s.refused {
		bad = append(bad, errRefused)
	}
	if s.offline {
		bad = append(bad, errOffline)
	}
	event := componentstatus.NewEvent(componentstatus.StatusOK)
	if len(bad) > 0 {
		event = componentstatus.NewRecoverableErrorEvent(errors.Join(bad...))
	}
	componentstatus.ReportStatus(s.host, event)
}
