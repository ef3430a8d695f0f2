/** Runs every test file; filled in next. */
console.log('0 passed, 0 failed, 0 skipped')
