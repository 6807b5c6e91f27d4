/** Replies that the guard accepts, and those that it rejects before the client library's parser sees them. */
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createReplyGuard } from '../../../../../src/edges/node/limits/store/reply-guard.ts';

const accepted = [
  '+OK\r\n',
  ':1\r\n:0\r\n:1\r\n',
  '-NOSCRIPT No matching script.\r\n',
  `$40\r\n${'a'.repeat(40)}\r\n:1\r\n`,
  '*2\r\n$4\r\nsave\r\n$0\r\n\r\n*2\r\n$10\r\nappendonly\r\n$2\r\nno\r\n',
  '*0\r\n*-1\r\n$-1\r\n:-2\r\n',
];

const rejected = {
  'another protocol': 'HTTP/1.1 400 Bad Request\r\n',
  // The library's parser never returns on this one.
  'a string without a length': '$*\r3.!*t!-81=47\n!2~0(',
  'a huge string': '$1000000000\r\n',
  'a string above the limit': '$4097\r\n',
  'a huge array': '*4294967295\r\n',
  'arrays in arrays': '*1\r\n*1\r\n',
  'a line without end': `+${'a'.repeat(600)}`,
  'a return without a line feed': '+a\rb',
  'a number that is none': ':1x\r\n',
  'a type of RESP3': '%1\r\n',
  'an empty line': '\r\n',
};

const write = (text: string, size: number): void => {
  const guard = createReplyGuard();
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += size) guard(bytes.subarray(at, at + size));
};

describe('the guard', () => {
  for (const size of [1, 3, 1000]) {
    for (const text of accepted)
      test(`accepts ${JSON.stringify(text)} in pieces of ${size}`, () => {
        write(text, size);
      });
    for (const [name, text] of Object.entries(rejected))
      test(`rejects ${name} in pieces of ${size}`, () => {
        assert.throws(() => write(text, size), Error);
      });
  }
});
