/** @file The event-stream reader: the standard's own examples, and any cutting of the bytes gives the same events. */

import { describe, expect, it } from 'vitest';
import { fc } from '../../../../test/fixtures/property.ts';
import { EventStream } from './sse.ts';

const bytes = (text: string) => new TextEncoder().encode(text);

function eventsIn(chunks: readonly Uint8Array[]): string[] {
  const stream = new EventStream();
  return chunks.flatMap((chunk) => stream.push(chunk));
}

describe('event stream reader, standard examples', () => {
  const cases: readonly [string, string, string[]][] = [
    ['joins the lines of one event', 'data: YHOO\ndata: +2\ndata: 10\n\n', ['YHOO\n+2\n10']],
    [
      'skips comments, allows fields without a colon, and drops an unterminated event',
      ': a stream\n\ndata: one\nid: 1\n\ndata\n\ndata:two',
      ['one', ''],
    ],
    ['strips one space after the colon', 'data:test\n\ndata: test\n\ndata:  test\n\n', ['test', 'test', ' test']],
    ['accepts CR, LF, and CRLF line endings', 'data: a\r\n\r\ndata: b\r\rdata: c\n\n', ['a', 'b', 'c']],
    ['skips a byte-order mark at the start', '\ufeffdata: a\n\n', ['a']],
    ['ignores other fields', 'database: x\ndata : y\nevent: z\n\n', []],
    ['keeps colons in the data', 'data: {"a":[1]}\n\n', ['{"a":[1]}']],
    ['drops a truncated event', 'data: whole\n\ndata: {"cut', ['whole']],
  ];
  it.each(cases)('%s', (_, text, events) => expect(eventsIn([bytes(text)])).toEqual(events));
});

describe('event stream reader', () => {
  /** Streams of every line end and field, with characters of one to four bytes. */
  const line = fc.constantFrom('data: ', 'data:', 'data', ': ', 'event: ', 'id:', '');
  const words = fc.string({ unit: fc.constantFrom('a', ' ', ':', 'é', '€', '😀', '"', '{'), maxLength: 6 });
  const ends = fc.constantFrom('\n', '\r', '\r\n', '\n\n', '\r\n\r\n', '\r\r');
  const text = fc.array(fc.tuple(line, words, ends), { maxLength: 12 }).map((parts) => parts.flat().join(''));

  function cut(all: Uint8Array, places: readonly number[]): Uint8Array[] {
    const at = [...new Set(places.map((place) => place % (all.length + 1)))].sort((a, b) => a - b);
    return [0, ...at].map((from, i) => all.subarray(from, at[i] ?? all.length));
  }

  it('returns the same events however the bytes are split', () => {
    fc.assert(
      fc.property(text, fc.array(fc.nat(), { maxLength: 20 }), (whole, places) => {
        const all = bytes(whole);
        expect(eventsIn(cut(all, places))).toEqual(eventsIn([all]));
        expect(eventsIn([...all].map((byte) => Uint8Array.of(byte)))).toEqual(eventsIn([all]));
      }),
      { numRuns: 500, seed: 1 },
    );
  });

  it('returns the original messages for any line ending', () => {
    fc.assert(
      fc.property(
        fc.array(words, { maxLength: 8 }),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(), { maxLength: 9 }),
        (messages, end, places) => {
          const all = bytes(messages.map((item) => `data: ${item}${end}${end}`).join(''));
          expect(eventsIn(cut(all, places))).toEqual(messages);
        },
      ),
      { numRuns: 300, seed: 2 },
    );
  });
});
