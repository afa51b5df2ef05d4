/**
 * @file Server-sent events as defined by the HTML standard; a model's stream needs only the data: bytes in, data of complete events out.
 *
 * Bytes may be split anywhere, even inside a character or between CR and LF. An event without its closing blank line is incomplete, and is
 * dropped.
 */

export class EventStream {
  readonly #decoder = new TextDecoder();
  /** Pieces of the unfinished line: kept separate, so that a line that arrives byte by byte is joined only once. */
  #pieces: string[] = [];
  #data: string[] = [];
  #afterReturn = false;

  /** The data of every event that these bytes complete. */
  push(bytes: Uint8Array): string[] {
    let text = this.#decoder.decode(bytes, { stream: true });
    if (text === '') return [];
    if (this.#afterReturn && text.startsWith('\n')) text = text.slice(1);
    this.#afterReturn = false;
    const events: string[] = [];
    const lines = text.split(/\r\n|\n|\r/);
    const last = lines.length - 1;
    for (let i = 0; i < last; i++) {
      this.#pieces.push(lines[i]!);
      this.#line(this.#pieces.length === 1 ? lines[i]! : this.#pieces.join(''), events);
      this.#pieces = [];
    }
    if (lines[last] !== '') this.#pieces.push(lines[last]!);
    this.#afterReturn = text.endsWith('\r');
    return events;
  }

  #line(line: string, events: string[]): void {
    if (line === '') {
      if (this.#data.length > 0) events.push(this.#data.join('\n'));
      this.#data = [];
      return;
    }
    const colon = line.indexOf(':');
    if ((colon < 0 ? line : line.slice(0, colon)) !== 'data') return;
    const value = colon < 0 ? '' : line.slice(colon + 1);
    this.#data.push(value.startsWith(' ') ? value.slice(1) : value);
  }
}
