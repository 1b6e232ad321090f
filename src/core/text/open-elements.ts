import type { TextTag } from './text-tags.ts'

/** Deeper nesting is not followed; what opens beyond it is read as if it had not been opened. */
const maxDepth = 512

type Entry = { readonly name: string; readonly rules: 'html' | 'svg' | 'math'; readonly isHidden: boolean }

/**
 * Which rules a page is read by. Inside SVG and MathML `<style>` and `<title>` hold markup, CDATA sections exist, and
 * `<img>` or `<p>` throw the parser back into HTML; what is in a template is seen by nobody. A real parser knows this
 * from its stack of open elements. Here only the elements that change something are kept:
 *
 *   rules 'svg', 'math'  the roots, and `style` and `script` below them, which are hidden
 *   rules 'html'         integration points (`foreignObject`, `mtext`, …; `desc` and `title` are hidden), templates
 *
 * A start tag pushes, its end tag pops, a breakout tag pops down to HTML. Unclosed HTML elements inside an integration
 * point are not seen, so badly nested SVG can differ from a full parser.
 */
export class OpenElements {
  rules: 'html' | 'svg' | 'math' = 'html'
  /** How many of the open elements hide what is in them. */
  hidden = 0
  private readonly stack: Entry[] = []

  /** For a start tag met in HTML. */
  openHtml(tag: TextTag): void {
    if (tag.content === 'svg' || tag.content === 'math')
      this.push({ name: tag.name, rules: tag.content, isHidden: false })
    else if (tag.name === 'template') this.push({ name: tag.name, rules: 'html', isHidden: true })
  }

  /** For a start tag met in foreign content. */
  openForeign(tag: TextTag): void {
    const { rules } = this
    const { name, content } = tag
    if (content === 'svg' || content === 'math') this.push({ name, rules: content, isHidden: false })
    else if (name === 'style' || name === 'script') this.push({ name, rules, isHidden: true })
    else if (rules === 'svg' && (name === 'title' || name === 'desc'))
      this.push({ name, rules: 'html', isHidden: true })
    else if (content === `${rules}-point`) this.push({ name, rules: 'html', isHidden: false })
  }

  close(name: string): void {
    for (let at = this.stack.length - 1; at >= 0; at--) {
      const entry = this.stack[at]!
      if (entry.name === name) {
        this.cut(at)
        break
      }
      // An end tag reaches over foreign elements, never out of an integration point; that of a template out of all.
      if (entry.rules === 'html' && name !== 'template') break
    }
  }

  breakOut(): void {
    let at = this.stack.length
    while (at > 0 && this.stack[at - 1]!.rules !== 'html') at--
    this.cut(at)
  }

  private push(entry: Entry): void {
    if (this.stack.length === maxDepth) return
    this.stack.push(entry)
    if (entry.isHidden) this.hidden++
    this.rules = entry.rules
  }

  private cut(length: number): void {
    while (this.stack.length > length) if (this.stack.pop()!.isHidden) this.hidden--
    this.rules = this.stack.at(-1)?.rules ?? 'html'
  }
}
