/**
 * The differences between two versions, in blocks as a reader sees them. One list serves the inbox line, the reading pane, the compare
 * view, `erace diff`, the API, feeds, mail and ACIs.
 */

/**
 * - title, heading, paragraph, item (of a list), row (of a table): HTML and XML
 * - entry: of a feed, with its own title, link and id
 * - value: of JSON, with its path
 * - line: of plain text
 */
export type BlockKind = 'title' | 'heading' | 'paragraph' | 'item' | 'row' | 'entry' | 'value' | 'line'

export type Block = {
  readonly kind: BlockKind
  /** White space collapsed; never empty. The cells of a row are separated by tabs. */
  readonly text: string
  /** The headings above it, outermost first; empty for a JSON value and an entry. */
  readonly trail: readonly string[]
  /** Identity independent of the text: the path of a JSON value, the id of an entry; '' for all others. */
  readonly key: string
  /** Its place in the page: the elements around it with ids and classes, e.g. `main/div.price/p`. Equal for the items of one list. */
  readonly place: string
  /** 1 to 6 for headings, else 0. */
  readonly level: number
  /** Only for entries. */
  readonly title?: string
  readonly link?: string
  /** When it was published, if its feed says so. */
  readonly at?: number
}

export type DocumentKind = 'html' | 'xml' | 'feed' | 'json' | 'text'

export type Blocks = {
  readonly kind: DocumentKind
  /** Title of the page, or of the feed; '' if there is none. */
  readonly title: string
  readonly blocks: readonly Block[]
  /** The document exceeds the limits; the rest was ignored. */
  readonly isCut: boolean
}

export type PieceKind = 'same' | 'removed' | 'added'
export type Piece = { readonly kind: PieceKind; readonly text: string }

export type ChangeKind = 'added' | 'removed' | 'changed' | 'moved'

export type Change = {
  readonly kind: ChangeKind
  readonly block: BlockKind
  /** The heading trail in readable form, `Shop › Kettle`; the path of a JSON value; the title of an entry. */
  readonly path: string
  /** The block's text in the older version; absent for `added`. */
  readonly before?: string
  /** The block's text in the newer version; absent for `removed`. */
  readonly after?: string
  /** Word by word, for `changed` only. */
  readonly pieces?: readonly Piece[]
  readonly place: string
  readonly key: string
  /** Only for entries. */
  readonly title?: string
  readonly link?: string
  /** Indexes of the block in the older and the newer list; -1 if absent. */
  readonly from: number
  readonly to: number
}

export type Changes = {
  /** In the order of the newer document; removed blocks keep their old position. */
  readonly changes: readonly Change[]
  /** More is marked as changed than necessary: an exact comparison would have taken too long. */
  readonly coarse: boolean
}
