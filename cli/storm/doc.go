// Package storm holds tests alone: many processes of the program on one store,
// killed, kept waiting, given wrong clocks and hostile words. The long ones run
// with the tag soak; the tag testclock brings those that set the clock.
package storm
