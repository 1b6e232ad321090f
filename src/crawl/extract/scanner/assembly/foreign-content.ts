/**
 * Inside SVG and MathML other parsing rules apply: `<script>`, `<style>` and `<title>` contain markup, CDATA sections
 * exist, and `<img>` or `<p>` return the parser to HTML. A full parser knows this from its stack of open elements. Here
 * only the entries that change the rules are kept:
 *
 *   HTML     the stack is empty or its top is an integration point (`foreignObject`, `desc`, `mtext`, …)
 *   foreign  the top is `svg` or `math`
 *
 * A start tag pushes, its end tag pops, a breakout tag pops down to HTML. Unclosed HTML elements inside an integration
 * point are not seen, so badly nested SVG can differ from a full parser.
 */
import { DESC, FOREIGN_OBJECT, MATH, MI, MTEXT, SVG, TITLE } from './tag-names.ts'

/** Deeper nesting is not tracked: elements opened beyond it are ignored. */
const MAX_DEPTH = 512
const stack: usize = memory.data(512)
export let depth: i32 = 0
/** Whose rules apply: SVG, MATH, or 0 for HTML. */
export let inside: i32 = 0

export function isForeignRoot(tag: i32): bool {
  return tag === SVG || tag === MATH
}

function isIntegrationPoint(tag: i32): bool {
  if (inside === SVG) return tag === FOREIGN_OBJECT || tag === DESC || tag === TITLE
  return inside === MATH && tag >= MI && tag <= MTEXT
}

function settle(): void {
  const top: i32 = depth === 0 ? 0 : load<u8>(stack + <usize>(depth - 1))
  inside = isForeignRoot(top) ? top : 0
}

export function leaveAll(): void {
  depth = 0
  inside = 0
}

export function open(tag: i32): void {
  if (depth === MAX_DEPTH) return
  if (!isForeignRoot(tag) && !isIntegrationPoint(tag)) return
  store<u8>(stack + <usize>depth, <u8>tag)
  depth++
  settle()
}

/** An end tag also closes roots inside its own element, but never reaches out of an integration point. */
export function close(tag: i32): void {
  for (let at = depth - 1; at >= 0; at--) {
    const opened: i32 = load<u8>(stack + <usize>at)
    if (opened === tag) {
      depth = at
      break
    }
    if (!isForeignRoot(opened)) break
  }
  settle()
}

export function breakOut(): void {
  while (inside !== 0) {
    depth--
    settle()
  }
}
