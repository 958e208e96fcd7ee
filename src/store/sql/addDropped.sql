update dropped set spans = spans + ?, calls = calls + ?
