package bench;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.security.crypto.password.NoOpPasswordEncoder;
import org.springframework.security.crypto.password.PasswordEncoder;

/** Spring Authorization Server as Boot sets it up: an RS256 key of 2,048 bits in this process. */
@SpringBootApplication
public class Peer {
  public static void main(String[] arguments) {
    SpringApplication.run(Peer.class, arguments);
  }

  /** Boot's own encoder replaces a plain secret by bcrypt, which costs 70 ms for each token. */
  @Bean
  @SuppressWarnings("deprecation")
  PasswordEncoder passwordEncoder() {
    return NoOpPasswordEncoder.getInstance();
  }
}
