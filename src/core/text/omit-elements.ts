/** Cuts the elements out of a page that the selectors choose. */
export type ElementCutter = { cut(page: Buffer, kind: 'html' | 'xhtml' | 'xml'): Buffer }
