/** Sends one HTTP request from inside the simulated internet. */
import { request as requestHttp } from 'node:http';
import { connect, type SecureClientSessionOptions } from 'node:http2';
import { request as requestHttps } from 'node:https';

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** The client's address: any, of the family of the connection. */
  readonly from?: string;
  readonly family?: 4 | 6;
  /** Over TLS, with prior knowledge. */
  readonly http2?: boolean;
}

export interface RequestResult {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Name and value in turn, as received; empty for HTTP/2. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export function sendRequest(url: string, question: RequestOptions = {}): Promise<RequestResult> {
  return question.http2 ? askHttp2(url, question) : askHttp1(url, question);
}

function askHttp1(
  url: string,
  { method = 'GET', headers = {}, body, from, family }: RequestOptions,
): Promise<RequestResult> {
  return new Promise((resolve, reject) => {
    const request = (url.startsWith('https:') ? requestHttps : requestHttp)(url, {
      method,
      headers: headers as Record<string, string | string[]>,
      agent: false,
      ...(from !== undefined && { localAddress: from }),
      ...(family !== undefined && { family }),
    });
    request.once('error', reject);
    request.once('response', async (response) => {
      try {
        const { statusCode: status = 0, headers, rawHeaders } = response;
        resolve({ status, headers, rawHeaders, body: Buffer.concat(await response.toArray()) });
      } catch (error) {
        reject(error);
      }
    });
    request.end(body);
  });
}

function askHttp2(
  url: string,
  { method = 'GET', headers = {}, body, from, family }: RequestOptions,
): Promise<RequestResult> {
  const { origin, host, pathname, search } = new URL(url);
  // Its options are those of tls.connect as well, which the types do not say.
  const options = { ...(from !== undefined && { localAddress: from }), ...(family !== undefined && { family }) };
  const session = connect(origin, options as SecureClientSessionOptions);
  return new Promise<RequestResult>((resolve, reject) => {
    session.once('error', reject);
    const stream = session.request({
      ...(headers as Record<string, string | string[]>),
      ':method': method,
      ':authority': host,
      ':path': `${pathname}${search}`,
    });
    stream.once('error', reject);
    stream.once('response', async ({ ':status': status = 0, ...headers }) => {
      try {
        resolve({ status, headers, rawHeaders: [], body: Buffer.concat(await stream.toArray()) });
      } catch (error) {
        reject(error);
      }
    });
    stream.end(body);
  }).finally(() => session.destroy());
}
