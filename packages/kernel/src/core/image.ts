/** @file Pictures in messages and asks: plain data next to a text that says the same in words, for agents whose models see. */

export const imageMedia = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/**
 * A picture. The text of its message is complete without it, so text-only agents miss nothing. `alt` is the passage of the text that
 * the picture shows; it can be omitted for agents with vision.
 */
export type ImagePart = {
  readonly media: (typeof imageMedia)[number];
  /** The bytes, in base64. Stores keep equal ones once, by their hash. */
  readonly data: string;
  readonly width: number;
  readonly height: number;
  readonly alt: string;
};

/** A picture as an address that has everything in it. */
export function imageUrl({ media, data }: ImagePart): string {
  return `data:${media};base64,${data}`;
}

/** Tokens that a picture takes: a rule of thumb of hosted models, one for every 750 pixels, and not below that of the smallest tile. */
export function imageTokens({ width, height }: ImagePart): number {
  return Math.max(85, Math.ceil((width * height) / 750));
}

/** What is wrong with a picture that an environment hands out, or null. */
export function imageProblem(image: unknown): string | null {
  const { media, data, width, height, alt } = (image ?? {}) as { readonly [Key in keyof ImagePart]?: unknown };
  if (!imageMedia.some((item) => item === media))
    return `its "media" must be one of ${imageMedia.join(', ')}, but is ${JSON.stringify(media)}`;
  if (typeof data !== 'string' || data === '' || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return 'its "data" must be base64';
  if (![width, height].every((side) => Number.isSafeInteger(side) && (side as number) > 0))
    return 'its "width" and "height" must be pixels';
  return typeof alt === 'string' ? null : 'its "alt" must be the words that it stands for, or an empty text';
}
