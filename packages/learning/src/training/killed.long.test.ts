/** @file The same as killed.test.ts, each killed at twenty moments. */

process.env['LUDUS_MOMENTS'] = '20';
await import('./killed.test.ts');
