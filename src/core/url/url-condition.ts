/**
 * Mercator's URL filters as data: conditions on a URL, combined by and, or and not. Each object has exactly one key. Plain JSON, so that it
 * can be sent to threads and other machines.
 */
export type UrlCondition =
  | { readonly all: readonly UrlCondition[] }
  | { readonly any: readonly UrlCondition[] }
  | { readonly not: UrlCondition }
  /** A regular expression that matches anywhere in the URL. */
  | { readonly url: string }
  /** A host (`example.org`, `example.org:8080`), or a domain and its subdomains (`.example.org`). */
  | { readonly host: string }
  /** Prefix of the URL. */
  | { readonly prefix: string }
  | { readonly protocol: 'http' | 'https' }
  /** Extension of the file name in the path, without the dot. */
  | { readonly suffix: string }
  /** Length of the whole URL, in characters. */
  | { readonly length: { readonly min?: number; readonly max?: number } }
