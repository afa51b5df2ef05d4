/** @file Reports: from rows and scores to data, and from data to a page or to Markdown. */

export type { Transcripts } from './excerpts.ts';
export { markdownOf } from './markdown.ts';
export { type Moment, withWords } from './moments.ts';
export { pageOf } from './page.ts';
export { type Report, type ReportInput, reportOf, type ScoreLine } from './report.ts';
