import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { accessOf, credentialsId, isOpen, openAccess, withAccess, withoutAccess } from './access.ts'

describe('access in a URL', () => {
  const id = credentialsId('ann@example.org', 'work')

  test('round-trips for each renderer and each set of credentials', () => {
    for (const url of ['https://example.org/a?b', 'imap://mail.example:143/INBOX', 'ftp://[::1]/~ann@home/x'])
      for (const access of [
        openAccess,
        { render: 'browser', credentials: '' },
        { render: 'http', credentials: id },
        { render: 'browser', credentials: id },
      ] as const) {
        const written = withAccess(url, access)
        assert.deepEqual(accessOf(written), access)
        assert.equal(withoutAccess(written), url)
        assert.equal(isOpen(written), access === openAccess)
        assert.equal(new URL(written).pathname, new URL(url).pathname)
      }
  })

  test('is not added to a URL without a host', () => {
    assert.equal(withAccess('file:///srv/x', { render: 'http', credentials: id }), 'file:///srv/x')
  })

  test('differs by name and owner of the credentials', () => {
    assert.notEqual(id, credentialsId('ann@example.org', 'home'))
    assert.notEqual(id, credentialsId('bob@example.org', 'work'))
    assert.equal(credentialsId('ann@example.org', ''), '')
  })

  test('ignores other user names in a URL', () => {
    for (const url of ['https://ann@example.org/', 'https://~ann@example.org/', 'https://example.org/~b@x'])
      assert.deepEqual([accessOf(url), withoutAccess(url)], [openAccess, url])
  })
})
