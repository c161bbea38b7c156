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
	refused, offline error
}

// setRefused records whether the next consumer refused spans that waited.
func (s *status) setRefused(is bool) {
	s.set(&s.refused, is, errRefused)
}

// setIndex records why the shared index failed, nil if it answers.
func (s *status) setIndex(err error) {
	switch {
	case err != nil && s.offline == nil:
		s.logger.Warn("Shared index unavailable; traces leave unstitched until it answers", zap.Error(err))
	case err == nil && s.offline != nil:
		s.logger.Info("Shared index available again")
	}
	s.set(&s.offline, err != nil, errOffline)
}

func (s *status) set(failure *error, is bool, err error) {
	if is == (*failure != nil) {
		return
	}
	*failure = nil
	if is {
		*failure = err
	}
	if s.host == nil {
		return
	}
	if bad := errors.Join(s.refused, s.offline); bad != nil {
		componentstatus.ReportStatus(s.host, componentstatus.NewRecoverableErrorEvent(bad))
		return
	}
	componentstatus.ReportStatus(s.host, componentstatus.NewEvent(componentstatus.StatusOK))
}
