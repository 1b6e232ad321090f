/** The markup that a shown page may keep. Everything else is dropped, so that future browser features are dropped too. */

const words = (text: string): string[] => text.trim().split(/\s+/)

const elements: ReadonlySet<string> = new Set(
  words(`html head title style body
    a abbr acronym address article aside b bdi bdo big blockquote br button caption center cite code col colgroup data
    datalist dd del details dfn dialog dir div dl dt em fieldset figcaption figure font footer h1 h2 h3 h4 h5 h6 header
    hgroup hr i img input ins kbd label legend li main map area mark menu meter nav nobr ol optgroup option output p pre
    progress q rp rt ruby s samp search section select small span strike strong sub summary sup table tbody td textarea
    tfoot th thead time tr tt u ul var wbr
    svg g path circle rect line polyline polygon ellipse text tspan defs symbol clippath lineargradient radialgradient
    stop`),
)

const renamed: ReadonlyMap<string, string> = new Map([
  ['form', 'div'],
  ['xmp', 'pre'],
  ['plaintext', 'pre'],
  ['listing', 'pre'],
])

/** Dropped with their content. */
export const swallowed: ReadonlySet<string> = new Set(words('script template noembed noframes iframe'))

/** Placeholders for these elements; their content is shown as in a browser that doesn't support them. */
export const replaced: ReadonlyMap<string, string> = new Map([
  ['iframe', 'Frame not shown'],
  ['frame', 'Frame not shown'],
  ['fencedframe', 'Frame not shown'],
  ['portal', 'Frame not shown'],
  ['object', 'Embedded content not shown'],
  ['embed', 'Embedded content not shown'],
  ['applet', 'Embedded content not shown'],
  ['video', 'Video not shown'],
  ['audio', 'Audio not shown'],
])

export const voids: ReadonlySet<string> = new Set(words('area br col hr img input wbr'))

/** Custom elements: pages style them, and without scripts they do nothing. */
const ownElement = /^(?!annotation-xml$|font-face|color-profile$|missing-glyph$)[a-z][a-z0-9]*(?:-[a-z0-9]+)+$/

/** The name an element is written with; null if its tags are dropped and its content kept. */
export function shownName(name: string): string | null {
  if (elements.has(name)) return name
  return renamed.get(name) ?? (ownElement.test(name) ? name : null)
}

const attributes: ReadonlySet<string> = new Set(
  words(`id class title lang dir name role hidden align valign width height colspan rowspan span scope headers abbr
    border cellpadding cellspacing bgcolor color face size text link vlink alink alt start reversed type value checked
    disabled selected multiple readonly placeholder open datetime for rows cols wrap label min max step low high optimum
    nowrap noshade clear hspace vspace frame rules compact translate shape coords
    viewbox preserveaspectratio d x y x1 y1 x2 y2 cx cy r rx ry dx dy points fill fill-rule fill-opacity clip-rule stroke
    stroke-width stroke-linecap stroke-linejoin stroke-miterlimit stroke-dasharray stroke-dashoffset stroke-opacity
    opacity transform text-anchor font-size font-family font-weight gradientunits gradienttransform offset stop-color
    stop-opacity`),
)

/** Whether an attribute only describes its element. */
export function isInertAttribute(name: string, value: string): boolean {
  if (attributes.has(name)) return !mayRefer.test(value) || worded.has(name)
  if (name.startsWith('aria-')) return /^aria-[a-z]+$/.test(name)
  return /^data-[a-z0-9-]+$/.test(name) && /^[\w .-]*$/.test(value)
}

/** Values in drawings can contain the same as style sheets. */
const mayRefer = /url|src|image|[\\@]|\/\//i
/** Free text, regardless of its content. */
const worded: ReadonlySet<string> = new Set(words('id class title name alt value placeholder label headers abbr for'))

/** Types of fields to keep: those that browsers fill in, or that load something, are dropped. */
export const fieldTypes: ReadonlySet<string> = new Set(
  words('text search email tel url number range checkbox radio submit reset button date time month week color'),
)
