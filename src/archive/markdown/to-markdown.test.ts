import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { lexer, type Token, walkTokens } from 'marked'
import { filled, waysAway, waysOut } from '../../core/inert/reaching-out.testkit.ts'
import { frontMatter } from './markdown-text.ts'
import { type MarkdownSource, toMarkdown } from './to-markdown.ts'

const url = 'https://site.example/news/today'

function markdownOf(html: string, more: Partial<MarkdownSource> = {}): string {
  return toMarkdown({ body: Buffer.from(html), contentType: 'text/html; charset=utf-8', url, ...more })!.markdown
}

/** Harmful content that an independent Markdown parser finds. */
function harmIn(markdown: string): string[] {
  const harm: string[] = []
  void walkTokens(lexer(markdown, { gfm: true }), (token: Token) => {
    if (token.type === 'html' || token.type === 'image') harm.push(`${token.type}: ${token.raw.slice(0, 80)}`)
    if (token.type === 'link' && !/^(?:https?|ftps?|mailto):/i.test(token.href))
      harm.push(`link: ${token.href.slice(0, 80)}`)
  })
  return harm
}

describe('a page as Markdown', () => {
  test('headings, emphasis, links with absolute URLs, images as links', () => {
    assert.equal(
      markdownOf(`<title>Site</title><h1>News</h1><p>A <b> bold </b>word, <i>one</i> <s>gone</s>, <code>a\`b</code>,
        <a href="../x?a=1&amp;b=2#c">a link</a> and <a href="/p_(q)">another</a>!<a href="mailto:ada@example.org">mail</a>
        <img src="p.png" alt="The harbour"><img src="deco.png" alt=""><a href="/q"><img src="q.png" alt="Q"></a></p>`),
      `# News\n\nA **bold** word, *one* ~~gone~~, \`\`a\`b\`\`, [a link](https://site.example/x?a=1&b=2#c) and ` +
        `[another](<https://site.example/p_(q)>)\\![mail](mailto:ada@example.org) ` +
        `[Image: The harbour](https://site.example/news/p.png)[Image: Q](https://site.example/q)\n`,
    )
  })

  test('nested, numbered, adjacent and description lists', () => {
    assert.equal(
      markdownOf(`<ul><li>one<li>two<ol start=3><li>three<li>four</ol><li>five</ul><ul><li>other</ul>
        <dl><dt>Word<dd>First<dd>Second<dt>Next<dd>Third</dl>`),
      '- one\n- two\n  3. three\n  4. four\n- five\n\n* other\n\n**Word**\n\n- First\n- Second\n\n**Next**\n\n- Third\n',
    )
    assert.equal(markdownOf('<ul><li><p>a</p><pre>b\n  c</pre><li>d</ul>'), '- a\n\n  ```\n  b\n    c\n  ```\n\n- d\n')
  })

  test('tables keep their columns despite spanning cells; layout tables become text', () => {
    assert.equal(
      markdownOf(`<table><caption>Prices</caption><thead><tr><th>Thing<th colspan=2>Price</thead>
        <tr><td rowspan=2>Tea|pot<td>1<td><ul><li>a<li>b</ul><tr><td>2<td><code>x|y</code></table>`),
      '**Prices**\n\n| Thing | Price |  |\n| --- | --- | --- |\n| Tea\\|pot | 1 | a; b |\n|  | 2 | `x\\|y` |\n',
    )
    assert.equal(
      markdownOf('<table><tr><td><h2>Left</h2>text<td><table><tr><td>1<td>2</table></table>'),
      '## Left\n\ntext\n\n|  |  |\n| --- | --- |\n| 1 | 2 |\n',
    )
    assert.equal(markdownOf('<table role=presentation><tr><td>a<td>b</table>'), 'a\n\nb\n')
    assert.ok(markdownOf(`<table><tr><td colspan=999999999>a<td rowspan=99999>b</table>`).length < 5000)
  })

  test('code keeps its lines and its language; block quotes are quoted', () => {
    assert.equal(
      markdownOf(
        '<pre><code class="hljs language-ts">if (a &lt; b)<br>  ```\n</code></pre><blockquote><p>x<p>y</blockquote>',
      ),
      '````ts\nif (a < b)\n  ```\n````\n\n> x\n>\n> y\n',
    )
  })

  test('the main part or the whole page, without hidden text', () => {
    const page = `<title>T &amp; U</title><style>.ad{display:none}</style><header><a href=/>Home</a></header><nav>Menu</nav>
      <main><p>The text of the page.<p class=ad>Buy<p hidden>no<p style="display: none">no</main><aside>More</aside><footer>Legal</footer>`
    assert.equal(markdownOf(page), '# T & U\n\nThe text of the page.\n')
    const whole = markdownOf(page, { part: 'page' })
    for (const text of ['[Home](https://site.example/)', 'Menu', 'The text of', 'More', 'Legal'])
      assert.ok(whole.includes(text), text)
    assert.doesNotMatch(whole, /Buy|no/)
    // An empty main part is ignored.
    assert.equal(markdownOf('<main></main><div>All the text is here</div>'), 'All the text is here\n')
  })

  test('text that looks like markup stays text', () => {
    const lines = [
      '# no heading',
      '- no item',
      '1. no number',
      '> no quote',
      '---',
      '===',
      '| no | table |',
      '*no* _no_ ~~no~~',
    ]
    const more = ['<b>no tag</b>', '&amp;lt; [no](http://link) ![no](http://picture) `no`', '+ x', '+', '***', '2) y']
    for (const line of [...lines, ...more]) {
      const text = line.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      for (const markdown of [markdownOf(`<p>${text}`), markdownOf(`<p>a<br>${text}`)]) {
        const types = new Set<string>()
        void walkTokens(lexer(markdown), (token) => void types.add(token.type))
        for (const kind of ['paragraph', 'text', 'escape', 'br', 'space']) types.delete(kind)
        assert.deepEqual(
          [...types].filter((type) => type !== 'link'),
          [],
          markdown,
        )
      }
    }
  })
})

describe('other documents as Markdown', () => {
  const other = (contentType: string, body: string) => toMarkdown({ body: Buffer.from(body), contentType, url })

  test('feeds have a heading for each entry', () => {
    const feed = `<rss version="2.0"><channel><title>Paper</title><link>https://site.example/</link><item><title>One &amp;amp; two</title>
      <link>/a</link><pubDate>Tue, 06 Jan 2026 10:00:00 GMT</pubDate><description>&lt;p>Text with &lt;a href="b">link&lt;/a>&lt;script>x&lt;/script></description></item></channel></rss>`
    assert.equal(
      other('application/rss+xml', feed)!.markdown,
      '# Paper\n\n## [One & two](https://site.example/a)\n\n2026-01-06T10:00:00.000Z\n\nText with [link](https://site.example/b)\n',
    )
  })

  test('plain text and JSON become code blocks, XML becomes text, images have no Markdown', () => {
    assert.equal(other('text/plain', 'a\n  b ``` <c>')!.markdown, '````\na\n  b ``` <c>\n````\n')
    assert.equal(other('application/json', '{"a":1}')!.markdown, '```json\n{"a":1}\n```\n')
    assert.match(other('application/xml', '<a><b>one</b><c>&lt;two></c></a>')!.markdown, /one[\s\S]*\\<two>/)
    assert.equal(other('image/png', 'x'), null)
    assert.equal(markdownOf(''), '')
  })
})

describe('hostile documents', () => {
  test('give no HTML, images or unsafe links', () => {
    const places = { third: 'http://third.example', name: 'third.example' }
    for (const way of [...waysOut, ...waysAway]) assert.deepEqual(harmIn(markdownOf(filled([way], places))), [], way)
    for (const href of [
      'javascript:alert(1)',
      ' java&#9;script:x',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
    ])
      assert.equal(markdownOf(`<a href="${href}">x</a><img src="${href}" alt=y>`).includes(':x'), false, href)
    assert.equal(markdownOf(`<a href="http://x/${'a'.repeat(9000)}">x</a>`), 'x\n')
    assert.doesNotMatch(markdownOf('<a href="https://ada:secret@site.example/">x</a>'), /secret/)
  })

  test('made of random pieces give no harmful Markdown', () => {
    const pieces = ['<p>', '<a href="x">', '<a href="javascript:x">', '</a>', '<b>', '</b>', '<code>', '</code>', '<pre>', '</pre>', '<ul>', '<li>',
      '</ul>', '<table>', '<tr>', '<td>', '<th>', '</table>', '<br>', '<h1>', '<img src=x alt="]">', '<dl>', '<dd>', '<dt>', '<blockquote>', '&lt;img src=x>',
      '&lt;script>', '![', '](', '[', ']', '(x)', '<', '&', '`', '```', '*', '_', '~', '|', '\\', '#', '- ', '1. ', '\n', ' ', 'a', '!', 'javascript:x', '<svg>',
      '<title>', '</title>', '<style>', '&amp;lt;', '\u0000', '<main>', '</main>', '<nav>', '<q>', '<caption>'] // biome-ignore format: a list
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 40 }), (parts) => {
        for (const part of ['main', 'page'] as const) assert.deepEqual(harmIn(markdownOf(parts.join(''), { part })), [])
      }),
      { numRuns: 400 },
    )
  })

  test('that are too deep or too long are cut and marked as such', () => {
    const deep = toMarkdown({ body: Buffer.from('<ul><li>a'.repeat(5000)), contentType: 'text/html', url })!
    assert.equal(deep.isCut, true)
    assert.match(deep.markdown, /\*The document is longer than this\.\*\n$/)
    assert.ok(deep.markdown.length < 100_000)
    const long = toMarkdown({
      body: Buffer.from('<p>word'.repeat(50_000)),
      contentType: 'text/html',
      url,
      maxChars: 10_000,
    })!
    assert.ok(long.isCut && long.markdown.length < 100_000)
    for (const unit of ['<b>', '<a href=x>', '<td>', '<table>', '<blockquote>', '<style>', '`', '_', '!', '&', '<q>'])
      assert.ok(markdownOf(unit.repeat(100_000)).length <= 3_000_000, unit)
  })

  test('with brackets, breaks, blanks and links without end cost little', () => {
    for (const [start, unit, end] of [
      ['<p>', '](', ''],
      ['<p>a<b>', '<br>', 'x</b>'],
      ['<pre>a', ' ', 'x</pre>'],
      ['<pre>', '<div>x</div>', '</pre>'],
    ] as const)
      assert.ok(markdownOf(start + unit.repeat(500_000) + end).length <= 3_000_000, unit)
    assert.ok(markdownOf(`<p>${'wow!<a href=x>y</a>'.repeat(50_000)}`).startsWith('wow\\![y](https://'))
  })

  test('cannot end their front matter with their metadata', () => {
    assert.equal(
      frontMatter({ url: 'https://x/', title: 'a"\n---\n# b\u2028', version: 2 }),
      '---\nurl: "https://x/"\ntitle: "a\\"\\n---\\n# b\\u2028"\nversion: 2\n---\n\n',
    )
  })
})
