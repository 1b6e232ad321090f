import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browserName } from './browser-push.ts'

test('browsers are named by product and operating system', () => {
  const names = [
    'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
    'Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36 Edg/140.0',
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Mobile Safari/604.1',
    'curl/8',
  ].map(browserName)
  assert.deepEqual(names, ['Firefox on Linux', 'Chrome on Android', 'Edge on Windows', 'Safari on iOS', 'This browser'])
})
