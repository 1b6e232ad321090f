import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineModule } from 'erace'
import { parse } from 'parse5'

/** Reports the parse errors of each page, as the HTML standard names them. */
let problems: string[] = []
const MAX_PER_PAGE = 100

export default defineModule<string[]>({
  name: 'html-linter',
  types: ['text/html'],
  async process(page) {
    const html = new TextDecoder().decode(await page.body.bytes())
    const path = new URL(page.url).pathname
    let found = 0
    parse(html, {
      sourceCodeLocationInfo: true,
      onParseError({ code, startLine, startCol }) {
        if (found++ < MAX_PER_PAGE) problems.push(`${path}:${startLine}:${startCol} ${code}`)
      },
    })
  },
  snapshot: () => problems,
  restore(state) {
    problems = state
  },
  end({ folder }) {
    // After a crash, a page may be processed twice.
    const once = [...new Set(problems)].sort()
    writeFileSync(join(folder(), 'lint.txt'), once.map((line) => `${line}\n`).join(''))
    return { problems: once.length }
  },
})
