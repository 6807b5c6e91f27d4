/** Creates the response to a message, both as bytes, within the bounds of its transport. */

import type { ResponseCode } from '../../wire/dns/data/dns-parameters.ts';
import { decodeQuery, type ObservedQuery, type ReceivedQuery } from '../../wire/dns/query.ts';
import { type Answer, emptyAnswer, encodeResponse, encodeTruncated, isTruncated } from '../../wire/dns/response.ts';
import type { Identify } from '../limits/identity.ts';
import type { DnsBounds } from './bounds.ts';
import { ResponseRate } from './response-rate.ts';

/**
 * The result of a message: a response with this code; one with TC because the answer is too long (`truncated`), or because the network has had
 * too many (`limited`); or none because it has had far too many, or too much is unsent (`dropped`), or because the message is not a query, is
 * too long, or comes from a port to which nothing may be sent (`ignored`).
 */
type QueryResult = ResponseCode | 'truncated' | 'limited' | 'dropped' | 'ignored';

export interface ResponderOptions {
  readonly bounds: DnsBounds;
  /** Whole responses per second over UDP to one network; 0: no limit. */
  readonly responsesPerSecond: number;
  readonly identify: Identify;
  /** Returns the answer to a query. Also called if the response will only have TC; not for an invalid or dropped one. */
  answer(query: ObservedQuery): Answer;
  /** An error of `answer`; the client gets SERVFAIL. */
  onError(error: unknown): void;
  onResult(result: QueryResult): void;
}

/** The sender of a message. */
export type Sender = Pick<ObservedQuery, 'address' | 'port' | 'transport'>;

/** RFC 1035 §4.2.2 */
const maxTcpResponseBytes = 65_535;

export class Responder {
  readonly #options: ResponderOptions;
  readonly #rate: ResponseRate;

  constructor(options: ResponderOptions) {
    this.#options = options;
    this.#rate = new ResponseRate(options.responsesPerSecond, options.bounds);
  }

  /** Returns the response; null if there must be none. */
  respond(message: Uint8Array, sender: Sender): Uint8Array | null {
    const { bounds, identify, onResult } = this.#options;
    const isUdp = sender.transport === 'udp';
    const permitted = isUdp ? this.#rate.count(identify(sender.address).network) : 'whole';
    const query = permitted === 'none' ? null : decodeQuery(message);
    if (query === null) {
      onResult(permitted === 'none' ? 'dropped' : 'ignored');
      return null;
    }
    const answer = this.#answerTo(query, sender);
    const maxBytes = isUdp
      ? Math.min(bounds.maxUdpResponseBytes, bounds.maxAmplification * message.length)
      : maxTcpResponseBytes;
    const limits = { maxBytes, bufferBytes: bounds.maxQueryBytes };
    if (permitted === 'truncated') {
      onResult('limited');
      return encodeTruncated(query, answer, limits);
    }
    const response = encodeResponse(query, answer, limits);
    onResult(isTruncated(response) ? 'truncated' : answer.rcode);
    return response;
  }

  #answerTo({ question, edns, problem }: ReceivedQuery, { address, port, transport }: Sender): Answer {
    if (problem !== null || question === null) return emptyAnswer(problem ?? 'FORMERR');
    const { name, type, class: questionClass } = question;
    try {
      return this.#options.answer({ name, type, class: questionClass, edns, address, port, transport });
    } catch (error) {
      this.#options.onError(error);
      return emptyAnswer('SERVFAIL');
    }
  }
}
