/** @file Images in messages and asks: plain data next to a text with the same content, for models with vision. */

export const imageMedia = ['image/png', 'image/jpeg', 'image/webp', 'image/gif'] as const;

/**
 * A picture. The text of its message is complete without it, so text-only agents miss nothing. `alt` is the passage of the text that
 * the picture shows; it can be omitted for agents with vision.
 */
export type ImagePart = {
  readonly media: (typeof imageMedia)[number];
  /** The bytes, in base64. Stores save equal ones once, by their hash. */
  readonly data: string;
  readonly width: number;
  readonly height: number;
  readonly alt: string;
};

/** An image as a data URL. */
export function imageUrl({ media, data }: ImagePart): string {
  return `data:${media};base64,${data}`;
}

/** Tokens of an image: a rule of thumb for hosted models, one per 750 pixels, and at least that of the smallest tile. */
export function imageTokens({ width, height }: ImagePart): number {
  return Math.max(85, Math.ceil((width * height) / 750));
}

/** The error in an environment's image, or null. */
export function imageProblem(image: unknown): string | null {
  const { media, data, width, height, alt } = (image ?? {}) as { readonly [Key in keyof ImagePart]?: unknown };
  if (!imageMedia.some((item) => item === media))
    return `its "media" must be one of ${imageMedia.join(', ')}, but is ${JSON.stringify(media)}`;
  if (typeof data !== 'string' || data === '' || data.length % 4 !== 0 || !/^[A-Za-z0-9+/]+={0,2}$/.test(data))
    return 'its "data" must be base64';
  if (![width, height].every((side) => Number.isSafeInteger(side) && (side as number) > 0))
    return 'its "width" and "height" must be pixels';
  return typeof alt === 'string' ? null : 'its "alt" must be a text description, or empty';
}
