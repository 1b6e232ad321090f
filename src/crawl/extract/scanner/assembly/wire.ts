// What scanner and program agree on. Read by both compilers, so it holds plain numbers alone.

/** Numbers of the tags that links are told with. */
export const A = 1
export const AREA = 2
export const LINK = 3
export const IFRAME = 4
export const FRAME = 5
export const IMG = 6
export const SOURCE = 7
export const SCRIPT = 8
export const FORM = 9

/** What a value has in it; one with none of these is the same text as its bytes. */
export const AMPERSAND = 16
export const NON_ASCII = 32
export const NUL = 64

/**
 * Findings: a kind and its numbers, one after the other. A range is start, end and what is in it; a start of -1 means
 * that the tag has no such attribute.
 */
/** Tag, 1 for nofollow, range, slot of the memo or `NO_SLOT`. */
export const FOUND_LINK = 1
/** Tag, range. */
export const FOUND_SRCSET = 2
/** Range of its method; a link of that tag comes next if it has one. */
export const FOUND_FORM = 3
/** Ranges of content, name and http-equiv. */
export const FOUND_META = 4
/** Range. */
export const FOUND_BASE = 5
/** Start and end. */
export const FOUND_TITLE = 6
/** Where an `<a>` ends; a link of that tag comes next if it has one. */
export const FOUND_ANCHOR = 7
/** Where an `</a>` begins. */
export const FOUND_ANCHOR_END = 8

/** A link that was met before on this page. */
export const FOUND_REPEAT = 9

/** The most numbers that one tag can come to. */
export const MAX_FINDING = 24

/** Options. */
export const XML = 1
export const WITH_TEXTS = 2

/** The most bytes of a folder whose links are looked up. */
export const MAX_BASE = 2048
/** Of links that depend on more of a page than its folder, and of those of a page without a memo. */
export const NO_SLOT = -1
export const REPEATED = -2
