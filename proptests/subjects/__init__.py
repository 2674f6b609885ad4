"""Whatever can be tested: registered methods, functions, estimators, commands."""
