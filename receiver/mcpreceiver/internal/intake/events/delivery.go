package events

// The ways of delivery.
const (
	Poll    = "poll"
	Push    = "push"
	Webhook = "webhook"
)

var everyWay = [...]string{Poll, Push, Webhook}
