/**
 * Mercator's URL filters as data: conditions on a URL, combined by and, or and not. Each object has exactly one key. It
 * is plain JSON, so that it travels to threads and to other machines.
 */
export type UrlCondition =
  | { readonly all: readonly UrlCondition[] }
  | { readonly any: readonly UrlCondition[] }
  | { readonly not: UrlCondition }
  /** A regular expression that matches anywhere in the URL. */
  | { readonly url: string }
  /** A host (`example.org`, `example.org:8080`), or a domain with all below it (`.example.org`). */
  | { readonly host: string }
  /** The beginning of the URL. */
  | { readonly prefix: string }
  | { readonly protocol: 'http' | 'https' }
  /** Of the file name in the path, without its dot. */
  | { readonly suffix: string }
  /** Of the whole URL, in characters. */
  | { readonly length: { readonly min?: number; readonly max?: number } }
