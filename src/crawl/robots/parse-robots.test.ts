import assert from 'node:assert/strict'
import test from 'node:test'
import { isAllowed, parseRobots } from './parse-robots.ts'

function lines(...all: string[]): string {
  return all.join('\n')
}

test('the longest rule wins, and allow wins a tie', () => {
  const robots = lines('User-agent: *', 'Disallow: /a', 'Allow: /a/b', 'Disallow: /a/b/c', 'Allow: /t', 'Disallow: /t')
  assert.equal(isAllowed(robots, 'erace', 'http://h/a/x'), false)
  assert.equal(isAllowed(robots, 'erace', 'http://h/a/b'), true)
  assert.equal(isAllowed(robots, 'erace', 'http://h/a/b/c/d'), false)
  assert.equal(isAllowed(robots, 'erace', 'http://h/t'), true)
  assert.equal(isAllowed(robots, 'erace', 'http://h/'), true)
})

test('a star matches anything, and a final dollar matches the end', () => {
  const robots = lines('User-agent: *', 'Disallow: /*.php$', 'Disallow: /x*/y*z')
  assert.equal(isAllowed(robots, 'erace', 'http://h/q/a.php'), false)
  assert.equal(isAllowed(robots, 'erace', 'http://h/q/a.php?b'), true)
  assert.equal(isAllowed(robots, 'erace', 'http://h/x1/2/y3z4'), false)
  assert.equal(isAllowed(robots, 'erace', 'http://h/x1/2/z3y4'), true)
})

test('an anchored piece may not overlap the one before it', () => {
  const robots = lines('User-agent: *', 'Disallow: /aba*aba$')
  assert.equal(isAllowed(robots, 'erace', '/ababa'), true)
  assert.equal(isAllowed(robots, 'erace', '/abaaba'), false)
})

test('percent-encoding is normalised in rules and URLs', () => {
  const robots = lines('User-agent: *', 'Disallow: /%7Ejoe/', 'Disallow: /ü', 'Disallow: /a%2fb', 'Disallow: /s%2A$')
  for (const path of ['/~joe/x', '/%7ejoe/', '/%C3%BC', '/%c3%bcber', '/ü', '/a%2Fb', '/s*', '/s%2a']) {
    assert.equal(isAllowed(robots, 'erace', `http://h${path}`), false, path)
  }
  for (const path of ['/a/b', '/sx', '/%FC']) assert.equal(isAllowed(robots, 'erace', `http://h${path}`), true, path)
})

test('octets that are not UTF-8 are compared as they are', () => {
  const rules = parseRobots(Buffer.from('User-agent: *\nDisallow: /\xfc\n', 'latin1'))
  assert.equal(rules.isAllowed('erace', 'http://h/%FC'), false)
  assert.equal(rules.isAllowed('erace', 'http://h/%C3%BC'), true)
})

test('in the query, a reserved character equals its percent-encoding', () => {
  const encoded = 'http://h/foo/bar?baz=https%3A%2F%2Ffoo.bar'
  const bare = 'http://h/foo/bar?baz=https://foo.bar'
  for (const pattern of ['/foo/bar?baz=https://foo.bar', '/foo/bar?baz=https%3A%2F%2Ffoo.bar', '/*://', '/*?*https:']) {
    const robots = lines('User-agent: *', `Disallow: ${pattern}`)
    assert.equal(isAllowed(robots, 'erace', encoded), false, pattern)
    assert.equal(isAllowed(robots, 'erace', bare), false, pattern)
  }
  assert.equal(isAllowed(lines('User-agent: *', 'Disallow: /*%3A%2F'), 'erace', encoded), false)
})

test('a group applies to all its agents, and groups of the same agent are merged', () => {
  const robots = lines('User-agent: One', 'User-agent: two', 'Disallow: /a', '', 'User-agent: ONE', 'Disallow: /b')
  assert.equal(isAllowed(robots, 'one', '/a'), false)
  assert.equal(isAllowed(robots, 'one', '/b'), false)
  assert.equal(isAllowed(robots, 'Two/1.0 (+http://x)', '/a'), false)
  assert.equal(isAllowed(robots, 'two', '/b'), true)
  assert.equal(isAllowed(robots, 'three', '/a'), true)
})

test('lines other than rules do not end a group', () => {
  for (const other of ['Sitemap: http://h/s.xml', 'Unknown: x', 'nonsense', 'Crawl-delay: 3', '']) {
    const robots = lines('User-agent: one', other, 'User-agent: two', 'Disallow: /')
    assert.equal(isAllowed(robots, 'one', '/x'), false, other)
    assert.equal(isAllowed(robots, 'two', '/x'), false, other)
  }
})

test('the most specific agent wins, and the star applies only if no agent matches', () => {
  const robots = lines(
    'User-agent: *',
    'Disallow: /',
    'User-agent: erace',
    'Disallow: /e',
    'User-agent: erace-news',
    'Disallow: /n',
  )
  assert.equal(isAllowed(robots, 'erace', '/n'), true)
  assert.equal(isAllowed(robots, 'erace', '/e'), false)
  assert.equal(isAllowed(robots, 'erace-news', '/e'), true)
  assert.equal(isAllowed(robots, 'erace-images', '/e'), false)
  assert.equal(isAllowed(robots, 'eraces', '/q'), false)
  assert.equal(isAllowed(robots, 'Mozilla/5.0 (compatible; eRACE/0.1; +https://example.org/)', '/q'), true)
})

test('rules before any agent and empty rules are ignored', () => {
  assert.equal(isAllowed(lines('Disallow: /', 'User-agent: *', 'Disallow:', 'Allow:'), 'erace', '/x'), true)
  assert.equal(isAllowed(lines('User-agent:', 'Disallow: /'), 'erace', '/x'), true)
})

test('robots.txt itself is always allowed', () => {
  assert.equal(isAllowed(lines('User-agent: *', 'Disallow: /'), 'erace', 'https://h/robots.txt'), true)
})

test('byte order marks, all line endings, comments and odd spacing are accepted', () => {
  for (const end of ['\n', '\r', '\r\n']) {
    const robots = ['\ufeffUser-Agent :\t* # all', '  DISALLOW:/a#b', '# Disallow: /c', 'disallow /d'].join(end)
    const rules = parseRobots(robots)
    assert.deepEqual(
      ['/a', '/c', '/d'].map((path) => rules.isAllowed('erace', path)),
      [false, true, false],
    )
  }
})

test('reads crawl delay, request rate and visit time per agent, plus sitemaps and host', () => {
  const rules = parseRobots(
    lines(
      'Host: www.example.org',
      'User-agent: a',
      'Crawl-delay: 0.5',
      'User-agent: b',
      'Crawl-delay: 7',
      'Crawl-delay: 3',
      'Request-rate: 2/1m 0600-0845',
      'Visit-time: 0200-0630',
      'Sitemap: https://h/ü.xml',
    ),
  )
  assert.equal(rules.crawlDelaySeconds('a'), 0.5)
  assert.equal(rules.crawlDelaySeconds('b'), 7)
  assert.equal(rules.crawlDelaySeconds('c'), null)
  assert.deepEqual(rules.requestRate('b'), { requests: 2, seconds: 60, hours: { startMinute: 360, endMinute: 525 } })
  assert.deepEqual(rules.visitTime('b'), { startMinute: 120, endMinute: 390 })
  assert.deepEqual(rules.sitemaps, ['https://h/ü.xml'])
  assert.equal(rules.preferredHost, 'www.example.org')
})

test('an invalid crawl delay is ignored, and so is text after a valid one', () => {
  const delayOf = (value: string) =>
    parseRobots(lines('User-agent: *', `Crawl-delay: ${value}`)).crawlDelaySeconds('erace')
  for (const value of ['x', '-1', '', 'Infinity', '1,5', '1.2.3', '99999999999999'])
    assert.equal(delayOf(value), null, value)
  for (const [value, delay] of Object.entries({ '10 seconds': 10, '5s': 5, '.5': 0.5, '1e9': 1 }))
    assert.equal(delayOf(value), delay, value)
})

test('Unicode spaces around keys and values are stripped', () => {
  const robots = lines(
    '\u00a0User-agent\u00a0:\u2003*\u00a0',
    'Disallow:\u00a0/account\u00a0',
    'Disallow: /basket\u2002\u200b \u3000',
    'Disallow: /d\u00e0',
    'Disallow: /\u00a0x',
    'Sitemap:\u00a0https://h/s.xml\u200b',
  )
  const rules = parseRobots(robots)
  for (const path of ['/account', '/basket', '/d%C3%A0', '/%C2%A0x']) {
    assert.equal(rules.isAllowed('erace', `http://h${path}`), false, path)
  }
  assert.equal(rules.isAllowed('erace', 'http://h/d'), true)
  assert.deepEqual(rules.sitemaps, ['https://h/s.xml'])
  const latin1 = parseRobots(Buffer.from('User-agent:\xa0*\xa0\nDisallow: /a\xa0\nDisallow: /b\xe0\xa0\n', 'latin1'))
  assert.equal(latin1.isAllowed('erace', '/a'), false)
  assert.equal(latin1.isAllowed('erace', '/b%E0'), true)
  assert.equal(parseRobots(lines('User-agent: *', 'Disallow: \u00a0', 'Disallow:')).isAllowed('erace', '/'), true)
})

test('a UTF-16 file with a byte order mark is read', () => {
  const text = '\ufeffUser-agent: *\r\nDisallow: /caf\u00e9\r\n\r\nSitemap: https://h/s.xml'
  const little = Buffer.from(text, 'utf16le')
  const big = Buffer.from(little).swap16()
  for (const bytes of [little, big, Buffer.concat([little, Buffer.of(0x0a)])]) {
    const rules = parseRobots(bytes)
    assert.equal(rules.isAllowed('erace', 'http://h/caf%C3%A9'), false)
    assert.equal(rules.isAllowed('erace', 'http://h/caf'), true)
    assert.deepEqual(rules.sitemaps, ['https://h/s.xml'])
  }
  assert.equal(parseRobots(Buffer.of(0xff, 0xfe)).isAllowed('erace', '/'), true)
  const mislabelled = Buffer.concat([Buffer.of(0xff, 0xfe), Buffer.from(lines('User-agent: *', 'Disallow: /a'))])
  assert.equal(parseRobots(mislabelled).isAllowed('erace', '/a'), false)
})

test('a repeated sitemap counts once', () => {
  const rules = parseRobots(lines('Sitemap: https://h/b.xml', 'Sitemap: https://h/a.xml', 'sitemap:https://h/b.xml '))
  assert.deepEqual(rules.sitemaps, ['https://h/b.xml', 'https://h/a.xml'])
})

test('common misspellings of keys are accepted', () => {
  for (const agentKey of ['useragent', 'User_agent', 'user-agents', 'User-agnet']) {
    for (const ruleKey of ['dissallow', 'Disallows', 'Desallow', 'disllow']) {
      assert.equal(
        isAllowed(lines(`${agentKey}: *`, `${ruleKey}: /a`), 'erace', '/a'),
        false,
        `${agentKey}, ${ruleKey}`,
      )
    }
  }
  assert.equal(isAllowed(lines('User-agent: *', 'Disallowed-list: /a', 'X-Disallow: /a'), 'erace', '/a'), true)
})
