import type { Annotation } from '../api/types.ts'

export function diffHref({ document, n }: Pick<Annotation, 'document' | 'n'>): string {
  return `/documents/${document}?tab=diff&to=${n}`
}

export function savedHref({ document, version }: Pick<Annotation, 'document' | 'version'>): string {
  return `/documents/${document}?tab=text&version=${version}`
}

/** JSON, code and plain text are shown in a monospaced font. */
export function isMono({ format }: Pick<Annotation, 'format'>): boolean {
  return /json|javascript|yaml|^plain$|^x-|^css$/.test(format)
}

/** Null unless a browser opens the URL as a page: URLs come from untrusted pages. */
export function originalHref(url: string): string | null {
  const parsed = URL.parse(url)
  return parsed !== null && /^(?:https?|ftp):$/.test(parsed.protocol) ? parsed.href : null
}

export function openOriginal(url: string): void {
  const href = originalHref(url)
  if (href !== null) window.open(href, '_blank', 'noopener,noreferrer')
}
