import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { AppError } from '../../core/errors.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'chrome']
const usualPlaces = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/usr/lib/chromium',
  '/opt/google/chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
]

/** The browser to start: the configured one, or the first one that is installed. Throws `browser-missing`. */
export function findBrowser(configured: string, path: string = process.env.PATH ?? ''): string {
  if (configured !== '') {
    if (isProgram(configured)) return configured
    throw new AppError('browser-missing', `browser.executable names ${configured}, which isn't a program here`)
  }
  for (const folder of [...path.split(delimiter), ...usualPlaces]) {
    if (!folder.startsWith('/')) continue
    const found = [folder, ...names.map((name) => join(folder, name))].find(isProgram)
    if (found !== undefined) return found
  }
  throw new AppError(
    'browser-missing',
    'This page needs a browser, and none was found. Install Chromium (on Debian: apt install chromium), or set browser.executable or browser.cdp',
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false // missing, or not executable for us
  }
}
