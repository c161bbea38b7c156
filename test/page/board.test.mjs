// The board by what a person must do, with filters that an address keeps.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { fitsWindow, looks, open } from './browser.mjs'
import { eventually, hook, page as address, session, until } from './gateway.mjs'
import { seed } from './seed.mjs'

let browser
before(async () => {
  browser = await open()
  await seed()
  const said = (event, more) => hook('claude-code', { session_id: 'ask-1', cwd: '/home/me/src/api', prompt_id: 'p', hook_event_name: event, ...more })
  const call = { tool_name: 'Bash', tool_input: { command: 'git push origin main' }, tool_use_id: 'toolu_1' }
  await said('SessionStart', { source: 'startup' })
  await said('UserPromptSubmit', { prompt: 'Publish the release notes' })
  await said('PreToolUse', call)
  await said('PermissionRequest', call)
  await until('it waits', async () => (await session('ask-1'))?.state === 'waiting')
})
after(() => browser.close())

const rows = (page) => page.locator('.sessions .row').evaluateAll((all) => all.sort((a, b) => a.ariaRowIndex - b.ariaRowIndex).map((row) => row.querySelector('h2, a.title').textContent))

test('what needs a person is on top, the longest wait first, with what is asked', async () => {
  const { page } = browser
  for await (const { colorScheme, width } of looks(page, { height: 740 })) {
    await page.goto(`${address}#/`)
    await page.locator('.row.waiting', { hasText: 'Publish the release notes' }).waitFor()
    await eventually(async () => {
      const first = await page.locator('a.title[data-index="1"]').boundingBox()
      assert.ok(first.y + first.height < 740, 'the first session is seen without scrolling')
    })
    await fitsWindow(page, width, 'the board')
    if (process.env.PICTURES) await page.screenshot({ path: `${process.env.PICTURES}/board-${width}-${colorScheme}.png`, animations: 'disabled' })
  }
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
  await page.setViewportSize({ width: 1440, height: 1600 })
  await eventually(async () => {
    const shown = await rows(page)
    assert.deepEqual(shown.slice(0, 4), ['Needs you', 'Roll out api 4.12 to eu-west', 'Publish the release notes', 'In trouble'])
    assert.deepEqual(shown.filter((title) => ['Needs you', 'In trouble', 'Working', 'Resting', 'Ended'].includes(title)), ['Needs you', 'In trouble', 'Working', 'Resting', 'Ended'])
    assert.equal(await page.locator('.row.waiting', { hasText: 'Publish' }).locator('.c-task').textContent(), 'Bash: git push origin main')
    assert.equal(await page.locator('.row.failed').first().locator('.c-task').textContent(), 'Activity import_batch failed after 5 attempts: connection refused')
    assert.match(await page.locator('.row.stalled', { hasText: 'flaky' }).locator('.c-task').textContent(), /^No reply: run_ci_job/)
  })
  await until('the title counts', async () => (await page.title()).startsWith('(2) Sessions'))
})

test('filters are in the address, and one without hits says which', async () => {
  const { page } = browser
  await page.goto(`${address}#/`)
  await page.getByRole('combobox', { name: 'Agent' }).selectOption('codex')
  await until('only those of codex', async () => (await rows(page)).join() === ['In trouble', 'Find out why test_checkout is flaky', 'Resting', 'Write tests for the tax table'].join())
  await page.getByRole('combobox', { name: 'Group by' }).selectOption('project')
  await until('by project', async () => (await rows(page)).includes('shop'))
  await until('both are in the address', async () => (await page.evaluate(() => location.hash)) === '#/?agent=codex&group=project')
  await page.reload()
  await until('as before', async () => (await rows(page)).includes('shop'))
  await page.getByRole('searchbox').fill('no such thing')
  await page.getByRole('heading', { name: 'No session with “no such thing” of codex' }).waitFor()
  await page.getByRole('button', { name: 'Show all sessions' }).click()
  await page.getByRole('searchbox').fill('git push')
  await until('what is asked is found', async () => (await rows(page)).join() === 'Needs you,Publish the release notes')
  await page.getByRole('searchbox').fill('')
})

test('totals of today and of seven days, by project and model', async () => {
  const { page } = browser
  await page.goto(`${address}#/`)
  const totals = page.getByRole('group', { name: 'Totals' })
  const today = totals.locator('summary', { hasText: 'Today' })
  await today.waitFor()
  await eventually(async () => {
    const sums = await (await fetch(new URL('/_inspector/sessions/totals', address))).json()
    assert.ok(sums.cost_usd > 1)
    assert.match(await totals.locator('summary', { hasText: '7 days' }).textContent(), new RegExp(`\\$${sums.cost_usd.toFixed(2)} ${sums.sessions} sessions`.replace('.', '\\.')))
  })
  await today.click()
  await totals.getByRole('row', { name: /^shop claude-sonnet-4-5 1 540k 6\.8k \$0\.\d\d$/ }).first().waitFor()
  await today.click()
})

test('after Back the focus is where it was', async () => {
  const { page } = browser
  await page.goto(`${address}#/?show=ended`)
  await until('only what ended', async () => (await page.locator('.row.failed, .row.done').count()) > 3 && (await page.locator('.sessions .row:not(.group, .failed, .done)').count()) === 0)
  const title = await page.locator('a.title').nth(3).textContent()
  await page.getByRole('link', { name: title, exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('navigation', { name: 'Views' }).waitFor()
  await page.goBack()
  await until('the focus', async () => (await page.evaluate(() => document.activeElement.textContent)) === title)
  assert.match(page.url(), /show=ended/)
})

test('a notification is asked for once, and the sound is a choice', async () => {
  const { page, context } = browser
  await context.clearPermissions()
  const granted = await page.evaluate(() => Notification.permission)
  await page.goto(`${address}#/`)
  await page.locator('.row.waiting').first().waitFor()
  if (granted === 'default') {
    await page.locator('.ask-notify').getByRole('button', { name: 'No', exact: true }).click()
    await page.reload()
    await page.locator('.row.waiting').first().waitFor()
  }
  await page.locator('.ask-notify').waitFor({ state: 'detached' })
  const sound = (pressed) => page.getByRole('button', { name: 'Sound when an agent needs you', pressed })
  await sound(false).click()
  await sound(true).waitFor()
})
