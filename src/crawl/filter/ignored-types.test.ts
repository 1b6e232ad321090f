import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isAppError } from '../../core/errors.ts'
import { createIgnoredTypes, defaultIgnoredSuffixes, parseIgnoreTypes } from './ignored-types.ts'

describe('ignored types', () => {
  it('match the suffix of the last path segment', () => {
    const types = parseIgnoreTypes('# pictures\npng\n.JPG\n*.tar.gz')
    for (const url of [
      'http://example.org/a.png',
      'http://example.org/a.PNG?x=1',
      'http://example.org/a.b.jpg#top',
      'http://example.org/a.png;v=1',
      'http://example.org/x.tar.gz',
      'a.png',
      '../img/a.jpg',
    ]) {
      assert.equal(types.hasIgnoredSuffix(url), true, url)
    }
    for (const url of [
      'http://example.org/',
      'http://example.png',
      'http://example.png/',
      'http://example.org/a.png/b',
      'http://example.org/png',
      'http://example.org/?a.png',
      'http://example.org/a.gz',
      'http://example.org/a.pngx',
      '',
    ]) {
      assert.equal(types.hasIgnoredSuffix(url), false, url)
    }
  })

  it('do not include documents by default', () => {
    const types = createIgnoredTypes(defaultIgnoredSuffixes)
    for (const name of [
      'index.html',
      'a.php',
      'a.aspx',
      'a.pdf',
      'feed.xml',
      'data.json',
      'a.txt',
      'rss',
      'sitemap.xml',
      'example.com',
    ]) {
      assert.equal(types.hasIgnoredSuffix(`http://example.org/${name}`), false, name)
    }
    for (const name of ['a.jpeg', 'a.mp4', 'a.woff2', 'a.zip', 'a.exe', 'style.css', 'app.js', 'a.tar.gz']) {
      assert.equal(types.hasIgnoredSuffix(`http://example.org/${name}`), true, name)
    }
  })

  it('report all invalid lines together', () => {
    assert.throws(
      () => parseIgnoreTypes('png\na/b\n.\n'),
      (error) => isAppError(error, 'file-invalid') && /line 2: .*line 3: /s.test(error.message),
    )
  })
})
