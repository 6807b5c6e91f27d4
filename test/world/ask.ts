/** One HTTP request, made inside the world. */
import { request as requestHttp } from 'node:http';
import { connect, type SecureClientSessionOptions } from 'node:http2';
import { request as requestHttps } from 'node:https';

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  readonly body?: string | Uint8Array;
  /** The caller's address: any, of the family that is dialled. */
  readonly from?: string;
  readonly family?: 4 | 6;
  /** Over TLS, with prior knowledge. */
  readonly http2?: boolean;
}

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** Name and value in turn, as received; empty for HTTP/2. */
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
}

export function ask(url: string, question: Question = {}): Promise<Reply> {
  return question.http2 ? askHttp2(url, question) : askHttp1(url, question);
}

function askHttp1(url: string, { method = 'GET', headers = {}, body, from, family }: Question): Promise<Reply> {
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

function askHttp2(url: string, { method = 'GET', headers = {}, body, from, family }: Question): Promise<Reply> {
  const { origin, host, pathname, search } = new URL(url);
  // Its options are those of tls.connect as well, which the types do not say.
  const options = { ...(from !== undefined && { localAddress: from }), ...(family !== undefined && { family }) };
  const session = connect(origin, options as SecureClientSessionOptions);
  return new Promise<Reply>((resolve, reject) => {
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
