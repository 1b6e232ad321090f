// Constants shared by scanner and program. Read by both compilers, so it has only plain numbers.

/** Tag numbers of links. */
export const A = 1
export const AREA = 2
export const LINK = 3
export const IFRAME = 4
export const FRAME = 5
export const IMG = 6
export const SOURCE = 7
export const SCRIPT = 8
export const FORM = 9
export const VIDEO = 10
export const AUDIO = 11
export const TRACK = 12
export const EMBED = 13
export const OBJECT = 14

/** Byte classes of a value; with none of these, its text equals its bytes. */
export const AMPERSAND = 16
export const NON_ASCII = 32
export const NUL = 64

/**
 * Findings: a kind followed by its numbers. A range is start, end and byte classes; a start of -1 means that the tag has
 * no such attribute.
 */
/** Tag, 1 for nofollow, range, slot of the memo or `NO_SLOT`. */
export const FOUND_LINK = 1
/** Tag, range. */
export const FOUND_SRCSET = 2
/** Range of its method; its link follows if it has one. */
export const FOUND_FORM = 3
/** Ranges of content, name and http-equiv. */
export const FOUND_META = 4
/** Range. */
export const FOUND_BASE = 5
/** Start and end. */
export const FOUND_TITLE = 6
/** End of an `<a>` start tag; its link follows if it has one. */
export const FOUND_ANCHOR = 7
/** Start of an `</a>`. */
export const FOUND_ANCHOR_END = 8

/** A link that was met before on this page. */
export const FOUND_REPEAT = 9
/** Start and end of the content of a style element. */
export const FOUND_STYLE = 10
/** Range of a style attribute that may name other files. */
export const FOUND_STYLE_ATTRIBUTE = 11

/** Maximum count of numbers for one tag. */
export const MAX_FINDING = 24

/** Options. */
export const XML = 1
export const WITH_TEXTS = 2

/** Maximum length of a folder whose links are looked up. */
export const MAX_BASE = 2048
/** For links that depend on more of a page than its folder, and for pages without a memo. */
export const NO_SLOT = -1
export const REPEATED = -2
