/** The function that logs an event of the list. */
import type { logEvents } from './data/log-events.ts';

export type LogEvent = keyof typeof logEvents;

type FieldsOf<Event extends LogEvent> = Readonly<
  Record<(typeof logEvents)[Event]['fields'][number], string | number | null>
>;

/** Logs an event of the list; nothing passed to it may come from a request. */
export type Log = <Event extends LogEvent>(event: Event, message: string, fields?: FieldsOf<Event>) => void;
