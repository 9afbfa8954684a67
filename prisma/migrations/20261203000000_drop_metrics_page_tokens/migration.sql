-- Page tokens of the metrics lists contain their place, so they are not stored any more.
DROP TABLE metrics_page_tokens;
