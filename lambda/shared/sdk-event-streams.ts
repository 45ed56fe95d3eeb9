/*
 * What `@smithy/core/event-streams` is in the bundles of functions, none of which calls an operation
 * with a stream of events. One that did would fail.
 */

export const EventStreamSerde = undefined;

export const eventStreamSerdeProvider = undefined;

export const resolveEventStreamSerdeConfig = <Config>(config: Config): Config => config;
