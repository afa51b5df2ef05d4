import { expect, it } from 'vitest';
import { crc32c, eventFileHeader, scalarEvent } from './tensorboard.ts';

it('crc32c matches the standard check value for "123456789"', () => {
  expect(crc32c(new TextEncoder().encode('123456789'))).toBe(0xe3069283);
  expect(crc32c(new Uint8Array(32))).toBe(0x8a9136aa);
});

it('eventFileHeader writes a valid record', () => {
  const header = eventFileHeader(1.5);
  const view = new DataView(header.buffer);
  expect(Number(view.getBigUint64(0, true))).toBe(header.length - 16);
  // Field 1, a double; then field 3, a text of 13 letters.
  expect([view.getUint8(12), view.getFloat64(13, true), view.getUint8(21), view.getUint8(22)]).toEqual([0x09, 1.5, 0x1a, 13]);
  expect(new TextDecoder().decode(header.subarray(23, 36))).toBe('brain.Event:2');
});

it('scalarEvent writes the values of a step and skips missing ones', () => {
  const event = scalarEvent(300, 0, { loss: 0.25, exploitability: null, kl: Number.NaN });
  // After the clock: field 2 = 300 as two bytes, then field 5 with one value: tag "loss", number .25.
  expect([...event.subarray(21, 24)]).toEqual([0x10, 0xac, 0x02]);
  expect([...event.subarray(24, 30)]).toEqual([0x2a, 13, 0x0a, 11, 0x0a, 4]);
  expect(new TextDecoder().decode(event.subarray(30, 34))).toBe('loss');
  expect(new DataView(event.buffer).getFloat32(35, true)).toBe(0.25);
  expect(event.length).toBe(12 + 27 + 4);
});
