/** @file Images in requests, in the formats of all dialects, as parts of a record. Images with only an external URL are not fetched. */

import { fieldsOf } from '@ludus-agents/agents/internal/models/openai.wire';
import { type ChatMessage, type ImagePart, imageProblem } from '@ludus-agents/kernel/internal/core/index';

type Fields = Readonly<Record<string, unknown>>;

/** The picture in a message part, with its bytes, or null. */
export function pictureIn(part: Fields): ImagePart | null {
  const source = sourceOf(part);
  if (source === null) return null;
  const { media, data } = source;
  const size = typeof data === 'string' ? pixelsOf(Buffer.from(data, 'base64')) : null;
  const image = { media, data, width: size?.[0], height: size?.[1], alt: '' };
  return imageProblem(image) === null ? (image as ImagePart) : null;
}

/** The pictures as a message field, if any. */
export function withPictures(images: readonly ImagePart[]): Pick<ChatMessage, 'images'> {
  return images.length === 0 ? {} : { images };
}

/** Type and base64: `image_url` of OpenAI's chat, `input_image` of its responses, `source` of Anthropic, inline data of Gemini. */
function sourceOf({ image_url: address, source, inlineData, inline_data: inline }: Fields): { media: unknown; data: unknown } | null {
  if (address !== undefined) {
    const url = typeof address === 'string' ? address : fieldsOf(address)['url'];
    const head = typeof url === 'string' ? /^data:([a-z/+.-]+);base64,/i.exec(url) : null;
    return head === null ? null : { media: head[1]!.toLowerCase(), data: (url as string).slice(head[0].length) };
  }
  if (source !== undefined) {
    const { media_type: media, data } = fieldsOf(source);
    return { media, data };
  }
  const { mimeType, mime_type: media = mimeType, data } = fieldsOf(inlineData ?? inline);
  return data === undefined ? null : { media, data };
}

/** Width and height from the header of a PNG, GIF, WebP or JPEG file; null if missing. */
function pixelsOf(bytes: Buffer): readonly [number, number] | null {
  if (bytes.length < 30) return null;
  const kind = bytes.toString('latin1', 0, 16);
  if (kind.startsWith('\x89PNG')) return [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (kind.startsWith('GIF8')) return [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  if (kind.endsWith('WEBPVP8X')) return [bytes.readUIntLE(24, 3) + 1, bytes.readUIntLE(27, 3) + 1];
  if (kind.endsWith('WEBPVP8 ')) return [bytes.readUInt16LE(26) & 0x3fff, bytes.readUInt16LE(28) & 0x3fff];
  if (kind.endsWith('WEBPVP8L')) return [(bytes.readUInt32LE(21) & 0x3fff) + 1, ((bytes.readUInt32LE(21) >>> 14) & 0x3fff) + 1];
  return kind.startsWith('\xff\xd8') ? jpegPixels(bytes) : null;
}

/** A JPEG consists of segments with lengths; the start-of-frame segment contains the size. */
function jpegPixels(bytes: Buffer): readonly [number, number] | null {
  for (let at = 2; at + 9 <= bytes.length && bytes[at] === 0xff; at += 2 + bytes.readUInt16BE(at + 2)) {
    const mark = bytes[at + 1]!;
    const begins = mark >= 0xc0 && mark <= 0xcf && mark !== 0xc4 && mark !== 0xc8 && mark !== 0xcc;
    if (begins) return [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)];
  }
  return null;
}
