import type { KnownTag } from './tag-table.ts'

/** Deeper nesting is not followed; what opens beyond it is read as if it had not been opened. */
const MAX_DEPTH = 512

export function isForeignRoot(tag: KnownTag): tag is 'svg' | 'math' {
  return tag === 'svg' || tag === 'math'
}

function isIntegrationPoint(tag: KnownTag, root: 'svg' | 'math' | null): boolean {
  if (root === 'svg') return tag === 'foreignobject' || tag === 'desc' || tag === 'title'
  if (root === null) return false
  return tag === 'mi' || tag === 'mo' || tag === 'mn' || tag === 'ms' || tag === 'mtext'
}

/**
 * Inside SVG and MathML a page is read by other rules: `<script>`, `<style>` and `<title>` hold markup, CDATA sections
 * exist, and `<img>` or `<p>` throw the parser back into HTML. A real parser knows this from its stack of open
 * elements. Here only the entries that change the rules are kept:
 *
 *   HTML     the stack is empty or its top is an integration point (`foreignObject`, `desc`, `mtext`, …)
 *   foreign  the top is `svg` or `math`
 *
 * A start tag pushes, its end tag pops, a breakout tag pops down to HTML. Unclosed HTML elements inside an integration
 * point are not seen, so badly nested SVG can differ from a full parser.
 */
export class ForeignContent {
  /** Whose rules hold; null is HTML. */
  inside: 'svg' | 'math' | null = null
  private readonly stack: KnownTag[] = []

  open(tag: KnownTag): void {
    if (this.stack.length === MAX_DEPTH) return
    if (!isForeignRoot(tag) && !isIntegrationPoint(tag, this.inside)) return
    this.stack.push(tag)
    this.settle()
  }

  close(tag: KnownTag): void {
    if (this.stack.length === 0) return
    // An end tag reaches over roots inside its own element, never out of an integration point.
    for (let at = this.stack.length - 1; at >= 0; at--) {
      if (this.stack[at] === tag) {
        this.stack.length = at
        break
      }
      if (!isForeignRoot(this.stack[at]!)) break
    }
    this.settle()
  }

  breakOut(): void {
    while (this.inside !== null) {
      this.stack.pop()
      this.settle()
    }
  }

  private settle(): void {
    const top = this.stack.at(-1)
    this.inside = top !== undefined && isForeignRoot(top) ? top : null
  }
}
